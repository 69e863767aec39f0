#include "mayfly/sim/clock_skew.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace mayfly {

namespace {

// While a time server corrects a clock, it runs faster or slower by up to a part in two thousand.
constexpr double drift = 0.001;

double seconds_of(Instant instant) { return static_cast<double>(instant.time_since_epoch().count()); }

Instant second_at(double time) { return Instant{Seconds{static_cast<std::int64_t>(std::floor(time))}}; }

}  // namespace

ClockSkew::Bounds ClockSkew::at(double time) const {
  assert(has_learnt_);
  const double wider = drift * std::abs(time - learnt_at_);
  return {learnt_.least - wider, learnt_.most + wider};
}

void ClockSkew::learn(double sent, double answered, Instant ts) {
  const Bounds lesson{seconds_of(ts) - answered - blur_, seconds_of(ts) + 1 - sent + blur_};
  Bounds bounds = lesson;
  if (has_learnt_) {
    const double wider = drift * (answered - learnt_at_);
    bounds = {std::max(learnt_.least - wider, lesson.least), std::min(learnt_.most + wider, lesson.most)};
  }
  // An empty interval means that a clock was set: earlier observations are void.
  learnt_ = bounds.least <= bounds.most ? bounds : lesson;
  learnt_at_ = answered;
  has_learnt_ = true;
}

Window ClockSkew::window(double sent, double answered) const {
  return {second_at(sent + at(sent).least), second_at(answered + at(answered).most)};
}

double ClockSkew::surely_at(Instant second) const {
  // The bounds widen by a thousandth of the waiting. So the wait is longer by that, and by a microsecond for rounding.
  const double time = seconds_of(second) - learnt_.least;
  return time + 2 * drift * std::abs(time - learnt_at_) + 1e-6;
}

}  // namespace mayfly
