#pragma once

#include <functional>
#include <optional>
#include <string>

#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/shrink/minimise.hpp"
#include "mayfly/sim/process/ending.hpp"

namespace mayfly {

class WorkerPool;

/// How work in a child process ended.
struct Isolated {
  int result = 0;     ///< what it returned, 0..255
  std::string crash;  ///< "aborted (signal 6)", "exited with status 0" or "did not answer within 10 s"; nothing if it
                      ///< returned
};

/// The seconds that a process may take to stop before it is killed.
inline constexpr double patience_when_stopped = 0.3;

/// Does the work in a child process, so that a store that crashes or hangs does not affect this one. Changes to memory
/// are lost. Requires that this process has one thread.
Isolated isolate(const std::function<int()>& work, double most_seconds);

/// The same until `has_timed_out`, which is called about twenty times a second, returns true; then `crash` is
/// `timeout`.
Isolated isolate(const std::function<int()>& work, const std::function<bool()>& has_timed_out,
                 const std::string& timeout);

/// Checks a property in a child process, unless the store has a process of its own. A crash or a timeout is a violation
/// at the last operation. Once `cancel` returns true, the case is cancelled and the result is meaningless.
std::optional<Violation> check_isolated(const Property& property, const Case& test_case, Subject& subject,
                                        double most_seconds, const std::function<bool()>& cancel = {});

/// Shrinks a failing case. Each run is checked as by `check_isolated`, or by a pool of workers for the same store. A
/// crash stays a crash. The timeout is shorter than `most_seconds`, except for the result.
Minimised minimise_isolated(Failure failure, Subject& subject, double most_seconds, const std::function<bool()>& stop,
                            WorkerPool* pool = nullptr);

}  // namespace mayfly
