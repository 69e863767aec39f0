#pragma once

#include <functional>

// A guard is a process between the harness and a target, so that nothing of a target is left behind.
//
// A target may start processes that no signal to its group reaches: they have a group or a session of their own, or
// their parent has gone (a server that an adapter puts into the background). The guard is their "child subreaper":
// whatever below it loses its parent becomes its own child, also if it calls setsid() or forks twice. Its children are
// therefore what is left of the target and nothing else, and once it has killed and reaped until it has none, the
// target is gone. Each round kills what the one before has uncovered.
//
// It begins with that when the target ends, when it is told so by a byte, and when no process is left that holds the
// other end of its control pipe: the harness need not live to say it, and may be killed by SIGKILL too. It is out of
// reach of signals from a terminal itself.
//
// It keeps the descriptors that it inherits from the process that starts the target, which is mostly a worker. So
// whoever waits for a worker's pipe to be closed (process/child.hpp) waits for the worker's targets as well.
//
// What gets away: a process of another user (sudo), and one that forks faster than it can be found. They are given up
// after a few seconds.

namespace mayfly {

/// What a guard and the harness have in common. The guard's ends: reads `control`, writes `status`.
struct GuardPipes {
  int control = -1;
  int status = -1;  ///< gets what waitpid says of the target
};

/// In a process that was forked for it: forks the target, which calls `become`, and guards it to the end. `let_go`
/// closes what is the target's alone.
[[noreturn]] void guard(const GuardPipes& pipes, const std::function<void()>& become,
                        const std::function<void()>& let_go);

}  // namespace mayfly
