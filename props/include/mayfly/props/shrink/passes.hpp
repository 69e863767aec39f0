#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mayfly/props/shrink/complexity.hpp"
#include "mayfly/sim/operation.hpp"

namespace mayfly {

/// A longer case is first changed as a whole.
inline constexpr std::size_t few_operations = 200;

/// A change that may make a case simpler. It may also do nothing, or make it worse: compare the complexity.
using Change = std::function<void(Case&)>;

/// Changes of one kind, made for the case as it is.
using Pass = std::vector<Change> (*)(const Case&);

/// Every kind, boldest first: what changes a large case as a whole; operations removed; one write folded into another;
/// names renamed by first use, merged and made of simpler characters; operations of a simpler kind; simpler values; a
/// ttl or default lowered together with the clock steps that reach it; steps merged, an earlier start; independent
/// operations in their usual order; pairs removed.
///
/// A group of operations that are alike is changed as a whole and in parts, so that a case that cannot get any shorter
/// is known to be minimal after changes of each group and not of each operation.
std::span<const Pass> passes();

/// The first of them: documents removed with all requests about them, operations of one kind removed, made simpler, or
/// given simpler values. Each by halves and quarters, and none of it in a short case.
std::span<const Pass> wide_passes();

}  // namespace mayfly
