#include "mayfly/sim/real_time.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mayfly/sim/json.hpp"
#include "mayfly/sim/shifted.hpp"

namespace mayfly {

namespace {

// More probes narrow the bounds of the clock further. They are spread over one second.
constexpr int first_lessons = 6;
constexpr double between_lessons = 0.19;

constexpr double most_of_a_second = 0.85;
constexpr double a_moment = 0.05;

}  // namespace

RealTime::RealTime(std::string name, RunningStore& store, Timekeeper& time, ClockSkew skew, Features features)
    : name_(std::move(name)), store_(store), time_(time), skew_(skew), features_(features) {
  features_.batch = features_.purge = features_.held = features_.lazy = false;
  features_.charge = false;  // a charge may depend on whether an expired document is still held
}

void RealTime::learn_the_time() {
  const double sent = time_.now();
  const Instant ts = store_.write_probe();
  skew_.learn(sent, time_.now(), ts);
  ++lessons_;
}

void RealTime::wait_until(double time) {
  const double began = time_.now();
  if (time <= began) return;
  for (double next = began; is_cancelled_ && next < time; next += a_moment) {
    if (is_cancelled_()) throw StoreFailure("was cancelled");
    time_.wait_until(std::min(time, next));
  }
  time_.wait_until(time);
  waited_ += time_.now() - began;
}

// The next second of the store, or the current one if most of it is still to come.
Instant RealTime::first_second(double moment) const {
  const Window now = skew_.window(moment, moment);
  const Instant next = now.latest + Seconds{1};
  const bool has_just_begun = now.earliest == now.latest && skew_.surely_at(next) - moment > most_of_a_second;
  return has_just_begun ? now.latest : next;
}

void RealTime::reset(Instant now) {
  store_.clear();
  learn_the_time();
  for (; lessons_ < first_lessons; learn_the_time()) wait_until(time_.now() + between_lessons);
  const double moment = time_.now();
  start_ = now;
  began_ = first_second(moment);
  by_case_ = Judge(now);
  by_store_ = Judge();
  wait_until(skew_.surely_at(began_));
}

Outcome RealTime::apply(const Step& step) {
  if (!std::holds_alternative<Advance>(step.operation)) return judge(step.operation);
  const Outcome outcome = by_case_.expect(step.operation);
  wait_until(skew_.surely_at(began_ + (by_case_.now() - start_)));
  return outcome;
}

Outcome RealTime::judge(const Operation& operation) {
  const double sent = time_.now();
  Outcome answer = store_.ask(operation);
  const Window window = skew_.window(sent, time_.now());
  const bool was_wrong = by_store_.size() == 0;
  const bool is_excused = by_store_.allow(operation, window, answer);
  const Expectation expected = by_case_.expect(operation);
  Outcome shown = is_excused ? expected.answer : shifted(std::move(answer), start_ - began_);
  shown.charge.reset();
  // The case's own seconds may have drifted from the store's so far that a wrong answer looks right.
  if (!is_excused && !was_wrong && allows(expected, shown))
    throw StoreFailure(fmt::format("answered {} to {}, which is wrong in each of the seconds {} to {}",
                                   to_line(to_json(shown)), to_line(to_json(operation)),
                                   window.earliest.time_since_epoch().count(),
                                   window.latest.time_since_epoch().count()));
  return shown;
}

}  // namespace mayfly
