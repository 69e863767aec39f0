#include "mayfly/props/run/isolate.hpp"

#include <algorithm>

#include "mayfly/props/property/check.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/run/worker_pool.hpp"
#include "mayfly/sim/process/child.hpp"
#include "mayfly/sim/stopwatch.hpp"

namespace mayfly {

namespace {

// The timeouts while shrinking are short, because it runs many cases. A case takes less than a millisecond, and
// somewhat more in another process.
constexpr double most_seconds_here = 0.5;
constexpr double most_seconds_elsewhere = 1;

constexpr int wait_interval = 50;  // milliseconds

}  // namespace

Isolated isolate(const std::function<int()>& work, double most_seconds) {
  const Stopwatch watch;
  return isolate(
      work, [&] { return watch.seconds() > most_seconds; }, timeout_text(most_seconds));
}

Isolated isolate(const std::function<int()>& work, const std::function<bool()>& has_timed_out,
                 const std::string& timeout) {
  Child child(work);
  while (!child.has_ended(wait_interval)) {
    if (!has_timed_out()) continue;
    child.kill();
    return {.crash = timeout};
  }
  if (const auto result = child.result()) return {.result = *result};
  return {.crash = child.ending()};
}

std::optional<Violation> check_isolated(const Property& property, const Case& test_case, Subject& subject,
                                        double most_seconds, const std::function<bool()>& cancel) {
  if (test_case.steps.empty() || !is_for(subject, property, test_case)) return std::nullopt;
  if (RemoteSubject* remote = subject.remote()) {
    remote->set_timeout(most_seconds);
    return check(property, test_case, subject);
  }
  const Stopwatch watch;
  const auto ended =
      isolate([&] { return check(property, test_case, subject) ? 1 : 0; },
              [&] { return watch.seconds() > most_seconds || (cancel && cancel()); }, timeout_text(most_seconds));
  if (ended.crash.empty()) return ended.result == 0 ? std::nullopt : check(property, test_case, subject);
  return Violation{test_case.steps.size() - 1, test_case.steps.back().operation, {}, ended.crash};
}

namespace {

/// The same with one limit for all runs.
Minimised minimise_within(Failure failure, Subject& subject, double most_seconds, const std::function<bool()>& stop,
                          WorkerPool* pool) {
  const bool crashes = !failure.violation.crash.empty();
  if (pool) pool->set_timeout(most_seconds);
  const auto check_here = [&](const Property& property, const Case& test_case) {
    auto violation = check_isolated(property, test_case, subject, most_seconds, stop);
    return stop() ? std::nullopt : std::move(violation);  // it may have been cancelled
  };
  const auto everything = [](const Question&) { return true; };
  const auto ends_alike = [&](const Question&, const Violation& other) { return other.crash.empty() != crashes; };
  const Runner runner = pool ? pool->runner() : Runner(check_here);
  return minimise(std::move(failure), runner.narrowed(everything, ends_alike), stop);
}

}  // namespace

Minimised minimise_isolated(Failure failure, Subject& subject, double most_seconds, const std::function<bool()>& stop,
                            WorkerPool* pool) {
  double sooner = subject.remote() ? most_seconds : std::min(most_seconds, most_seconds_here);
  if (subject.remote() && !failure.violation.crash.empty()) sooner = std::min(most_seconds, most_seconds_elsewhere);
  if (subject.remote()) subject.remote()->cancel_when(stop);
  Minimised minimised = minimise_within(failure, subject, sooner, stop, pool);
  // On a busy machine, the short timeout may have cut off a case that does not hang, so the result gets the long one.
  if (sooner < most_seconds && is_timeout_text(minimised.failure.violation.crash) && !stop()) {
    const Failure& smallest = minimised.failure;
    auto again = check_isolated(*smallest.property, smallest.test_case, subject, most_seconds, stop);
    if (again && !again->crash.empty() && !stop())
      minimised.failure.violation = std::move(*again);
    else if (!stop())
      minimised = minimise_within(std::move(failure), subject, most_seconds, stop, pool);
  }
  if (subject.remote()) subject.remote()->cancel_when({});
  return minimised;
}

}  // namespace mayfly
