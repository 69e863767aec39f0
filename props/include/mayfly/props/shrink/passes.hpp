#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mayfly/props/shrink/complexity.hpp"
#include "mayfly/sim/operation.hpp"

namespace mayfly {

/// A change that may make a case simpler. It may also do nothing, or make it worse: compare the complexity.
using Change = std::function<void(Case&)>;

/// Changes of one kind, made for the case as it is.
using Pass = std::vector<Change> (*)(const Case&);

/// Every kind, boldest first: operations removed; one write folded into another; names renamed by first use and merged;
/// operations of a simpler kind; simpler values; a ttl or default lowered together with the clock steps that reach it;
/// steps merged, an earlier start; independent operations in their usual order; pairs removed.
std::span<const Pass> passes();

}  // namespace mayfly
