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
// It begins with that when the target ends, when the other end of its control socket is shut down, and when no process
// is left that holds that end: the harness need not live to say it, and may be killed by SIGKILL too. It is out of
// reach of signals from a terminal itself.
//
// It keeps the worker's end of the worker's own pipe open (process/child.hpp). So a parent that waits until that pipe
// is closed waits for the worker's targets as well.
//
// What gets away: a process of another user (sudo), and one that forks faster than it can be found. They are given up
// after a few seconds.

namespace mayfly {

/// In a process that was forked for it: forks the target, which calls `become`, and guards it until the other end of
/// the socket `control` is shut down or closed. Writes to `report` what waitpid says of the target. `let_go` closes
/// what is the target's alone.
[[noreturn]] void guard(int control, int report, const std::function<void()>& become,
                        const std::function<void()>& let_go);

}  // namespace mayfly
