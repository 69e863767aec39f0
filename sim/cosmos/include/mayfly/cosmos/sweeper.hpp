#pragma once

#include <array>
#include <functional>

#include "mayfly/sim/process/child.hpp"

namespace mayfly::cosmos {

/// Cleans up at the very end: a process of its own, which waits until this one and all that were forked from it have
/// ended, however they did, and then does its work, if there is any. An interrupt from the terminal does not reach it.
class Sweeper {
 public:
  /// Requires that this process has one thread. The work is done in the other process.
  explicit Sweeper(const std::function<void()>& work);
  Sweeper(const Sweeper&) = delete;
  Sweeper& operator=(const Sweeper&) = delete;

  /// There is something to clean up. Also in a process that was forked from the one that made it.
  void note_work() const;

  /// In the process that made it: has the work done, and waits for that.
  ~Sweeper();

 private:
  Sweeper(const std::function<void()>& work, const std::array<int, 2>& pipe);

  int pipe_;  ///< every process that has this end may still note work
  Child process_;
};

}  // namespace mayfly::cosmos
