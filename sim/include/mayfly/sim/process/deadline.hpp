#pragma once

#include <functional>
#include <limits>

#include "mayfly/sim/stopwatch.hpp"

namespace mayfly {

/// A time by which an answer is due, and a way to cancel the waiting.
struct Deadline {
  static constexpr double never = std::numeric_limits<double>::infinity();

  double seconds = 0;                       ///< the timeout, for messages
  double end = Stopwatch::now() + seconds;  ///< as a time of Stopwatch::now()
  std::function<bool()> cancel_when = {};   ///< called about twenty times a second; if empty, never cancelled

  bool has_passed() const { return Stopwatch::now() > end; }
  bool is_cancelled() const { return cancel_when && cancel_when(); }
};

}  // namespace mayfly
