#include "mayfly/props/isolate.hpp"

#include <algorithm>

#include "mayfly/props/crew.hpp"
#include "mayfly/sim/child.hpp"
#include "mayfly/sim/stopwatch.hpp"

namespace mayfly {

namespace {

// A case takes less than a millisecond, and some more where every request travels.
constexpr double most_seconds_of_a_shrunk_case = 0.3;
constexpr double most_seconds_of_a_shrunk_case_elsewhere = 1;

constexpr int tick = 50;  // milliseconds

}  // namespace

Isolated isolate(const std::function<int()>& work, double most_seconds) {
  const Stopwatch watch;
  return isolate(
      work, [&] { return watch.seconds() > most_seconds; }, hang_text(most_seconds));
}

Isolated isolate(const std::function<int()>& work, const std::function<bool()>& hangs, const std::string& hang) {
  Child child(work);
  while (!child.has_ended(tick)) {
    if (!hangs()) continue;
    child.kill();
    return {.crash = hang};
  }
  if (const auto result = child.result()) return {.result = *result};
  return {.crash = child.ending()};
}

std::optional<Violation> check_isolated(const Property& property, const Case& test_case, Subject& subject,
                                        double most_seconds) {
  if (test_case.operations.empty() || !is_for(subject, property, test_case)) return std::nullopt;
  if (RemoteSubject* remote = subject.remote()) {
    remote->allow(most_seconds);
    return check(property, test_case, subject);
  }
  const auto ended = isolate([&] { return property.check(test_case, subject) ? 1 : 0; }, most_seconds);
  if (ended.crash.empty()) return ended.result == 0 ? std::nullopt : property.check(test_case, subject);
  return Violation{test_case.operations.size() - 1, test_case.operations.back(), {}, ended.crash};
}

Minimised minimise_isolated(Failure failure, Subject& subject, double most_seconds, const std::function<bool()>& stop,
                            Crew* crew) {
  const bool crashes = !failure.violation.crash.empty();
  if (!subject.remote()) most_seconds = std::min(most_seconds, most_seconds_of_a_shrunk_case);
  if (subject.remote() && crashes) most_seconds = std::min(most_seconds, most_seconds_of_a_shrunk_case_elsewhere);
  if (subject.remote()) subject.remote()->fail_when(stop);
  if (crew) crew->allow(most_seconds);
  const auto ask = [&](const Property& property, const Case& test_case) {
    auto violation = crew ? crew->ask(property, test_case) : check_isolated(property, test_case, subject, most_seconds);
    if (stop()) return std::optional<Violation>();  // it may have been broken off
    return violation && violation->crash.empty() != crashes ? std::move(violation) : std::nullopt;
  };
  const Runner runner(ask, crew ? crew->foresight() : Runner::AskAhead());
  Minimised minimised = minimise(std::move(failure), runner, stop);
  if (subject.remote()) subject.remote()->fail_when({});
  return minimised;
}

}  // namespace mayfly
