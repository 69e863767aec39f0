#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mayfly/sim/operation.hpp"

namespace mayfly {

/// How simple a case is, the first difference deciding. Natural numbers throughout, so nothing gets simpler for ever: a
/// shrinker that takes only simpler cases comes to an end.
struct Complexity {
  std::uint64_t operations = 0;
  std::uint64_t kinds = 0;       ///< a read is simpler than a query, a create than a patch
  std::uint64_t values = 0;      ///< absent, never, then the smallest number
  std::uint64_t seconds = 0;     ///< that the clock moves
  std::uint64_t inversions = 0;  ///< pairs that do not stand in the usual order of a story
  std::uint64_t names = 0;       ///< one collection, one partition, and the first names first
  std::uint64_t start = 0;
  auto operator<=>(const Complexity&) const = default;
};

Complexity complexity(const Case& test_case);

/// A change that may make a case simpler. It may also do nothing, or make it worse: compare the complexity.
using Change = std::function<void(Case&)>;

/// Changes of one kind, made for the case as it is.
using Pass = std::vector<Change> (*)(const Case&);

/// Every kind, boldest first: operations removed; one write folded into another; names renamed by first use and merged;
/// operations of a simpler kind; simpler values; a ttl or default lowered together with the clock steps that reach it;
/// steps merged, an earlier start; independent operations in their usual order; pairs removed.
std::span<const Pass> passes();

}  // namespace mayfly
