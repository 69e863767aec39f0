#pragma once

#include <chrono>

namespace mayfly::app {

/// The one place that looks at real time: for budgets and speeds of a run, never for what happens in it.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace mayfly::app
