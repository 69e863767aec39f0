#pragma once

#include <array>
#include <functional>

#include "mayfly/sim/process/child.hpp"

namespace mayfly::cosmos {

/// A process that cleans up at the very end. It waits until this process and all that were forked from it have ended,
/// in whatever way, and then does its work if one of them noted that there is any. Ctrl-C does not reach it.
class Sweeper {
 public:
  /// Requires that this process has one thread. The work is done in the other process.
  explicit Sweeper(const std::function<void()>& work);
  Sweeper(const Sweeper&) = delete;
  Sweeper& operator=(const Sweeper&) = delete;

  /// Notes that there is something to clean up. Forked processes may call it too.
  void note_work() const;

  /// In the process of the constructor: starts the work, and waits until it is done.
  ~Sweeper();

 private:
  Sweeper(const std::function<void()>& work, const std::array<int, 2>& pipe);

  int pipe_;  ///< every process that has this end may still note work
  Child process_;
};

}  // namespace mayfly::cosmos
