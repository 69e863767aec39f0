#pragma once

#include <vector>

#include "mayfly/sim/operation.hpp"

namespace mayfly {

/// One step towards a simpler case: which part of it to change, and how. Cheap to make; applying it copies the case.
struct Simplification {
  enum class Kind { remove, replace, lower_together, merge_steps, start };

  Kind kind = Kind::remove;
  std::size_t at = 0;     ///< an operation
  std::size_t other = 0;  ///< remove: how many; lower_together: the operation to lower with it
  Seconds by{0};          ///< lower_together: by how much; start: where to
  Operation simpler;      ///< replace: what stands there instead
};

/// The ways to make a case simpler, boldest first: runs of operations removed, then names, values and times lowered, a
/// ttl or default together with the clock step that reaches it. Every way leads to a case that is smaller in a
/// well-founded order, so that taking them until none helps comes to an end.
std::vector<Simplification> simplifications(const Case& test_case);

Case simplified(const Case& test_case, const Simplification& simplification);

}  // namespace mayfly
