#pragma once

#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "mayfly/sim/process/channel.hpp"
#include "mayfly/sim/process/descriptor.hpp"

namespace mayfly {

/// A child process: a function in a fork of this process, or a program. A store that crashes or hangs there does not
/// affect this process. Child also reaps it.
///
/// A child inherits no end of a pipe or a socket that this process holds for another child.
///
/// A Child that a forked process inherits with its memory can only be destroyed or replaced there, which leaves the
/// child process alone.
class Child {
 public:
  /// What happens to the child when this process ends, in whatever way, or when the Child is destroyed.
  enum class Lifetime {
    with_parent,  ///< killed
    guarded,      ///< killed with every process that it started; for programs only (sim/src/process/guard.hpp)
    outlives,     ///< keeps running, in a session of its own; for functions only
  };

  /// The standard streams of a program.
  enum class Streams {
    inherited,  ///< its output goes to the standard error of this process, whose standard output is for results
    piped,
  };

  /// The ends of this process, which do not block.
  struct Pipes {
    Descriptor input;
    Descriptor output;
    Descriptor errors;
  };

  /// Forks a process that runs `work`. Changes to memory are lost; the returned value, 0..255, is the child's result.
  /// An exception is a crash. The child leaves Ctrl-C to its parent. Requires that this process has one thread.
  ///
  /// The child reports the end of the work through a pipe and not by its exit status: in the middle of a case, a store
  /// may call `exit(0)`, or a sanitizer may end the process. An end without the report is a crash.
  explicit Child(const std::function<int()>& work, Lifetime lifetime = Lifetime::with_parent);

  /// The same, with a channel between the two processes.
  explicit Child(const std::function<int(Channel&)>& work);

  /// Starts a program, which it finds as a shell does. Throws std::system_error if the program cannot be started.
  /// Requires at least one word.
  Child(const std::vector<std::string>& words, Lifetime lifetime, Streams streams);

  Child(Child&&) noexcept = default;
  Child& operator=(Child&& other) noexcept;
  ~Child();

  /// Whether the child has ended and was reaped, the targets that it started are gone, and so is every process that a
  /// guarded program started. Waits for that at most this long, or without limit if `milliseconds` is negative.
  bool has_ended(int milliseconds = 0);

  /// Kills the child, unless it has ended.
  void kill();

  /// The value that the work returned, or the program's exit status. Nothing if the child ended otherwise or is
  /// running.
  std::optional<int> result() const;

  /// How the child ended: "aborted (signal 6)", "exited with status 3", "threw std::logic_error: ...". Empty while that
  /// is unknown; it may be known shortly before `has_ended`.
  std::string ending() const;

  pid_t process() const { return process_; }
  Channel& channel() { return channel_; }
  Pipes& pipes() { return pipes_; }
  const Pipes& pipes() const { return pipes_; }

  /// For `poll`: readable when `has_ended` may have changed.
  int descriptor() const { return report_.number(); }

 private:
  /// Whether this process started the child and has not yet seen its end.
  bool is_watched() const { return report_.is_open(); }

  void start(const std::vector<Descriptor*>& its_ends, const std::function<void(int report)>& run);
  void run_work(const std::function<int()>& work, const std::vector<Descriptor*>& its_ends);
  void reap();
  void listen();
  std::optional<int> reported() const;
  bool is_over() const;
  void wait_for_news(double seconds) const;

  Lifetime lifetime_;
  pid_t process_ = 0;   ///< the guard, if there is one
  Descriptor report_;   ///< the value that the work returned, its exception, or from the guard the target's wait status
  Descriptor end_;      ///< readable once the process has ended; closed on old kernels
  Descriptor control_;  ///< when it is closed, the guard ends its target
  Channel channel_;
  Pipes pipes_;
  bool is_program_ = false;
  bool is_reaped_ = false;
  double reaped_at_ = 0;
  bool report_is_closed_ = false;  ///< no process holds the other end any more
  std::string report_text_;        ///< what came through `report_`: a number, and the text of an exception
  std::optional<int> status_;      ///< as waitpid returns it
};

}  // namespace mayfly
