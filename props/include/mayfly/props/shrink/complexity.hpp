#pragma once

#include <compare>
#include <cstdint>

#include "mayfly/sim/operation.hpp"

namespace mayfly {

/// How complex a case is: the first member that differs decides. All are natural numbers, so a shrinker that takes only
/// simpler cases ends.
struct Complexity {
  std::uint64_t operations = 0;
  std::uint64_t kinds = 0;       ///< a read is simpler than a query, a create than a patch
  std::uint64_t values = 0;      ///< absent, never, then the smallest number
  std::uint64_t seconds = 0;     ///< that the clock moves
  std::uint64_t inversions = 0;  ///< pairs that are not in the usual order of a case
  std::uint64_t names = 0;       ///< one collection, one partition, and the usual names, the first ones first
  std::uint64_t start = 0;
  auto operator<=>(const Complexity&) const = default;
};

Complexity complexity(const Case& test_case);

/// Whether the usual order of a case has `second` before `first`.
bool are_inverted(const Operation& first, const Operation& second);

}  // namespace mayfly
