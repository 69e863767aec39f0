#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/shrink/minimise.hpp"

// A trace is useful only if its failure shows in a fresh process of the target. A failure that does not may depend on
// cases that the process ran before: then `reset` leaves something behind.

namespace mayfly {

/// A failure in a fresh process of a target, and the cases that have to be run there before it.
struct FreshFailure {
  std::vector<Case> earlier;  ///< none if the case fails on its own
  Failure failure;
  bool passes = false;  ///< the failure does not show again
};

/// Runs `smallest`, unless it has no property, and if it passes `original`, from which it was shrunk, in fresh
/// processes of the target. If both pass, searches for the shortest list of earlier cases that makes one of them fail:
/// the case itself, or cases of `before`, which are in the order in which they were run. Shrinks until `stop` returns
/// true. If no such list is found, or the target has no process to restart, the result is `smallest`.
FreshFailure fail_afresh(const Failure& original, const Failure& smallest, const std::vector<Case>& before,
                         RemoteSubject& target, const std::function<bool()>& stop);

/// Restarts the target and runs the earlier cases, so that the failure can be shown.
void prepare(const FreshFailure& failure, RemoteSubject& target);

/// The cases as one trace, each begun by a reset.
std::string trace_text(const FreshFailure& failure);

}  // namespace mayfly
