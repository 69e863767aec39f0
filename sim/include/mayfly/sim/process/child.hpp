#pragma once

#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "mayfly/sim/process/channel.hpp"
#include "mayfly/sim/process/descriptor.hpp"

namespace mayfly {

/// A process that this one starts: a function, in a fork of this process, or a program. So a store that crashes or
/// hangs there takes nothing else along. It is reaped here.
///
/// A child inherits no end of a pipe or a socket that this process holds for another child.
///
/// In a process that was forked from this one, a Child can only be destroyed or replaced, which leaves the process
/// alone.
class Child {
 public:
  /// What becomes of it when this process ends, however that happens, or when the Child is destroyed.
  enum class Lifetime {
    with_parent,  ///< it is killed
    guarded,      ///< it is killed with all that it has started; for programs only (sim/src/process/guard.hpp)
    outlives,     ///< it goes on, in a session of its own; for functions only
  };

  /// The standard streams of a program.
  enum class Streams {
    inherited,  ///< what it prints goes to our standard error, for it is no part of our output
    piped,
  };

  /// This process's ends, which do not block.
  struct Pipes {
    Descriptor input;
    Descriptor output;
    Descriptor errors;
  };

  /// Forks. What the work changes in memory is lost; what it returns, 0..255, is the child's result. An exception is a
  /// crash. The child leaves Ctrl-C to its parent. Requires that this process has one thread.
  ///
  /// That the work is done is said through a pipe, and not by the exit status: a store may call `exit(0)`, or a
  /// sanitizer end the process, in the middle of a case. Every end without that message is a crash.
  explicit Child(const std::function<int()>& work, Lifetime lifetime = Lifetime::with_parent);

  /// The same with a channel between the two processes.
  explicit Child(const std::function<int(Channel&)>& work);

  /// Starts a program, as a shell would find it. Throws std::system_error if it cannot be started. Requires a word.
  Child(const std::vector<std::string>& words, Lifetime lifetime, Streams streams);

  Child(Child&&) noexcept = default;
  Child& operator=(Child&& other) noexcept;
  ~Child();

  /// Whether it has ended and was reaped, and all the targets that it started are gone, as is everything that a guarded
  /// program has started. Waits for that this long at most, or as long as it takes if that is below zero.
  bool has_ended(int milliseconds = 0);

  /// Ends it, unless it has ended.
  void kill();

  /// What the work returned or the program's exit status. Nothing if it ended otherwise, or goes on.
  std::optional<int> result() const;

  /// How it ended: "aborted (signal 6)", "exited with status 3". Empty while that is not known, which may be some
  /// moments before `has_ended`.
  std::string ending() const;

  pid_t process() const { return process_; }
  Channel& channel() { return channel_; }
  Pipes& pipes() { return pipes_; }
  const Pipes& pipes() const { return pipes_; }

  /// For `poll`: readable when there is something to say to `has_ended`.
  int descriptor() const { return report_.number(); }

 private:
  /// Whether this process started it, and has not yet seen its end.
  bool is_watched() const { return report_.is_open(); }

  void start(const std::vector<Descriptor*>& its_ends, const std::function<void(int report)>& run);
  void run_work(const std::function<int()>& work, const std::vector<Descriptor*>& its_ends);
  void reap();
  void listen();
  bool is_over() const;
  void wait_for_news(double seconds) const;

  Lifetime lifetime_;
  pid_t process_ = 0;   ///< the guard's, if there is one
  Descriptor report_;   ///< gets what the work returned, or from the guard what waitpid says of the target
  Descriptor end_;      ///< readable once the process has ended; on old kernels closed
  Descriptor control_;  ///< open as long as the guard shall not end its target
  Channel channel_;
  Pipes pipes_;
  bool is_program_ = false;
  bool is_reaped_ = false;
  double reaped_at_ = 0;
  bool report_is_closed_ = false;  ///< at its other end, everywhere
  std::optional<int> reported_;
  std::optional<int> status_;  ///< as waitpid says it
};

}  // namespace mayfly
