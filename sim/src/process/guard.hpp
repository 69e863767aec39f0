#pragma once

#include <functional>

// A guard is a process between the harness and a target. It makes sure that no process of a target is left behind.
//
// A target may start processes that no signal to its group reaches: they have a group or a session of their own, or
// their parent has ended (a server that an adapter puts into the background). The guard is their "child subreaper":
// every descendant that loses its parent becomes a child of the guard, even if it calls setsid() or forks twice. So
// once the target has ended, the guard's children are exactly what is left of the target. The guard kills and reaps
// children until it has none; each round kills the processes that the previous round made its children.
//
// The guard starts killing when the target ends, when the other end of its control socket is shut down, or when no
// process holds that end any more. So it also works if the harness was killed by SIGKILL. Signals from a terminal do
// not reach the guard.
//
// The guard keeps the worker's end of the worker's own pipe open (process/child.hpp). So a parent that waits until that
// pipe is closed also waits for the worker's targets.
//
// Two kinds of process can escape: one of another user (sudo), and one that forks faster than the guard can find it.
// The guard gives up after a few seconds.

namespace mayfly {

/// To be called in a new process: forks the target, which calls `become`, and guards it until the other end of the
/// socket `control` is shut down or closed. Writes the target's wait status to `report`. `let_go` closes the
/// descriptors that only the target needs.
[[noreturn]] void guard(int control, int report, const std::function<void()>& become,
                        const std::function<void()>& let_go);

}  // namespace mayfly
