#pragma once

#include <cassert>

#include "mayfly/model/outcome.hpp"

namespace mayfly {

/// The virtual clock of a case: only `advance` moves it, and never back.
class Clock {
 public:
  explicit Clock(Instant start = {}) : now_(start) { assert(start <= latest_instant); }

  Instant now() const { return now_; }

  /// Moves the clock. Answers 400 and leaves the clock where it is if it would pass `latest_instant`. Requires that
  /// `step` is not negative.
  Outcome advance(Seconds step) {
    assert(step >= Seconds{0});
    if (step > latest_instant - now_) return {.status = Status::bad_request};
    now_ += step;
    return {.status = Status::ok, .now = now_};
  }

 private:
  Instant now_;
};

}  // namespace mayfly
