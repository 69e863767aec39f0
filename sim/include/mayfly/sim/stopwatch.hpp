#pragma once

#include <chrono>

namespace mayfly {

/// The only place that reads real time: for budgets and speeds of a run, never for its results.
class Stopwatch {
 public:
  /// Seconds since a moment that is the same for all processes.
  static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  double seconds() const { return now() - start_; }

 private:
  double start_ = now();
};

}  // namespace mayfly
