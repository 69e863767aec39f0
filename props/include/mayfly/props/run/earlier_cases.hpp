#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/shrink/minimise.hpp"

// A failure has to show in a fresh process of the target, or a trace of it is worth nothing. What does not may depend
// on cases that the process ran before: its `reset` then leaves something behind.

namespace mayfly {

/// A failure in a fresh process of a target, and the cases that have to be run there before it.
struct FreshFailure {
  std::vector<Case> earlier;  ///< none if the case fails on its own
  Failure failure;
  bool passes = false;  ///< it does not fail again at all
};

/// Runs a failure, unless it has no property, and if it passes what it was shrunk from, in fresh processes of the
/// target. If both pass, looks for the shortest run of earlier cases that makes one of them fail: itself, one of
/// `before`, or several of these, which are in the order in which they were run. All is made as small as it gets until
/// `stop` says so. If no such run is found, or the target has no process to be started afresh, the result is what it
/// was shrunk to.
FreshFailure fail_afresh(const Failure& original, const Failure& smallest, const std::vector<Case>& before,
                         RemoteSubject& target, const std::function<bool()>& stop);

/// Restarts the target and runs the earlier cases, so that the failure can be shown.
void prepare(const FreshFailure& failure, RemoteSubject& target);

/// The cases as one trace, each begun by a reset.
std::string trace_text(const FreshFailure& failure);

}  // namespace mayfly
