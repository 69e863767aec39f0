#pragma once

#include <functional>
#include <optional>
#include <string>

#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/shrink/minimise.hpp"
#include "mayfly/sim/process/ending.hpp"

namespace mayfly {

class WorkerPool;

/// How a piece of work in a process of its own ended.
struct Isolated {
  int result = 0;     ///< what it returned, 0..255
  std::string crash;  ///< "aborted (signal 6)", "exited with status 0" or "did not answer within 10 s"; nothing if it
                      ///< returned
};

/// How long a process that was told to stop may take until it is killed, in seconds.
inline constexpr double patience_when_stopped = 0.3;

/// Does the work in a process of its own, so that a store that crashes or hangs takes nobody along. What it changes in
/// memory is lost. Requires that this process has one thread.
Isolated isolate(const std::function<int()>& work, double most_seconds);

/// The same for as long as it takes, unless it hangs: asked some twenty times a second. `hang` says how, then.
Isolated isolate(const std::function<int()>& work, const std::function<bool()>& hangs, const std::string& hang);

/// Checks a property in a process of its own, unless the store lives in one already. A crash or a hang is a violation
/// at the last operation. Once `cancel` says so the case is broken off, and what is returned means nothing.
std::optional<Violation> check_isolated(const Property& property, const Case& test_case, Subject& subject,
                                        double most_seconds, const std::function<bool()>& cancel = {});

/// Makes a failing case as simple as it gets, each run as `check_isolated` does it, and what crashes stays a crash. A
/// store that hangs is cut off sooner than after `most_seconds`, but for the result. A pool of workers for the same
/// store, if there is one, is asked instead.
Minimised minimise_isolated(Failure failure, Subject& subject, double most_seconds, const std::function<bool()>& stop,
                            WorkerPool* pool = nullptr);

}  // namespace mayfly
