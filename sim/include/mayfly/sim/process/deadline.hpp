#pragma once

#include <functional>
#include <limits>

#include "mayfly/sim/stopwatch.hpp"

namespace mayfly {

/// By when an answer is due, or until it is cancelled.
struct Deadline {
  static constexpr double never = std::numeric_limits<double>::infinity();

  double seconds = 0;                       ///< how long that was at the beginning, for messages
  double end = Stopwatch::now() + seconds;  ///< by Stopwatch::now()
  std::function<bool()> cancel_when = {};   ///< asked about twenty times a second; never cancelled without it

  bool has_passed() const { return Stopwatch::now() > end; }
  bool is_cancelled() const { return cancel_when && cancel_when(); }
};

}  // namespace mayfly
