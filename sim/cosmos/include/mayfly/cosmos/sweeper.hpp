#pragma once

#include <functional>
#include <sys/types.h>

namespace mayfly::cosmos {

/// Sweeps up when everybody has gone: a process of its own, which waits until this one and all that were forked from it
/// have ended, however they did, and then does its work, if there is any. An interrupt from the terminal does not reach
/// it.
class Sweeper {
 public:
  /// Requires that this process has one thread. The work is done in the other process.
  explicit Sweeper(const std::function<void()>& work);
  Sweeper(const Sweeper&) = delete;
  Sweeper& operator=(const Sweeper&) = delete;

  /// There is something to sweep up. Also for a process that was forked from the one that made it.
  void note_work() const;

  /// In the process that made it: has the work done, and waits for that.
  ~Sweeper();

 private:
  pid_t owner_;
  pid_t process_ = 0;
  int pipe_ = -1;  ///< whoever has this end is still there
};

}  // namespace mayfly::cosmos
