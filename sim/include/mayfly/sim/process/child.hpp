#pragma once

#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>

namespace mayfly {

/// A process forked from this one that does a piece of work, so that a store that crashes or hangs there takes nothing
/// else along. It ends with its parent at the latest, and leaves Ctrl-C to it.
///
/// That it is done it says through a pipe, and not by its exit status: a store may call `exit(0)`, or a sanitizer end
/// the process, in the middle of a case. Every end without that message is a crash.
class Child {
 public:
  /// Forks. What the work changes in memory is lost; what it returns, 0..255, is the child's result. An exception is a
  /// crash. Requires that this process has one thread.
  explicit Child(const std::function<int()>& work);
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child() { kill(); }

  /// Whether it has ended, and all targets that it started are gone (sim/src/process/guard.hpp); waits for that, so many
  /// milliseconds at most.
  bool has_ended(int milliseconds = 0);

  /// Ends it, unless it has ended.
  void kill();

  /// What the work returned; nothing if it did not come to that. Requires that it has ended, as the next does.
  std::optional<int> result() const { return result_; }

  /// How it ended: "aborted (signal 6)", "exited with status 3".
  std::string ending() const;

  /// Becomes readable when the child has something to say to `has_ended`.
  int descriptor() const { return pipe_; }

 private:
  void listen();
  bool is_reaped();

  pid_t process_ = 0;
  int pipe_ = -1;
  bool is_closed_ = false;  ///< the other end of the pipe, everywhere
  double reaped_ = 0;       ///< when, if it is
  int status_ = 0;
  std::optional<int> result_;
};

}  // namespace mayfly
