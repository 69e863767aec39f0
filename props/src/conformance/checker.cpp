#include "checker.hpp"

#include <algorithm>
#include <span>

#include "mayfly/props/property/decisive.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/shrink/minimise.hpp"
#include "mayfly/sim/process/ending.hpp"
#include "mayfly/sim/stopwatch.hpp"

namespace mayfly::conformance {

namespace {

constexpr std::size_t most_crashes = 12;
constexpr std::size_t runs_for_a_timeout = 5;  // a timeout counts as this many runs, because it takes as long

/// The ttl or default in a request; nothing if there is none.
std::optional<TtlField> ttl_in(const Operation& operation) {
  std::optional<TtlField> said;
  for_each_field(operation, [&](std::string_view, const auto& field) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, TtlField>)
      if (!std::holds_alternative<Absent>(field)) said = field;
  });
  return said;
}

}  // namespace

Minimised minimise_within(Failure failure, const Runner& runner, std::size_t most_runs, double most_seconds) {
  const Stopwatch watch;
  std::size_t timeouts = 0;
  const auto everything = [](const Question&) { return true; };
  const Runner counting = runner.narrowed(everything, [&](const Question&, const Violation& violation) {
    timeouts += is_timeout_text(violation.crash) ? 1 : 0;
    return true;
  });
  const auto stop = [&] { return timeouts * runs_for_a_timeout >= most_runs || watch.seconds() > most_seconds; };
  return minimise(std::move(failure), counting, stop, most_runs);
}

bool Checker::can_check(const Question& question) const {
  const auto& [property, test_case] = question;
  const bool is_trigger =
      std::find(crashing_properties_.begin(), crashing_properties_.end(), property) != crashing_properties_.end();
  const bool is_for_it = has(features_, property->needs()) && can_run(features_, test_case);
  return !is_trigger && is_for_it && !test_case.steps.empty();
}

Checked Checker::check_all(const Questions& next) {
  const std::size_t first = evidence_.all().size();
  std::vector<Question> asked;
  Answered answered = ask_.first_failure([&]() -> std::optional<Question> {
    auto question = is_over() ? std::nullopt : next();
    if (question) asked.push_back(*question);
    return question;
  });
  auto& [held, failure] = answered;
  if (!failure && held > 0 && is_stopped()) --held;  // the last one may have been cancelled
  for (std::size_t i = 0; i < held; ++i) keep(std::move(asked[i]), std::nullopt);
  if (failure) keep(std::move(failure->question), std::move(failure->violation));
  return {first, evidence_.all().size() - first, failure.has_value()};
}

bool Checker::check_one(const Property& property, const Case& test_case) {
  bool is_asked = !can_check({&property, test_case});
  const auto once = [&]() -> std::optional<Question> {
    if (std::exchange(is_asked, true)) return std::nullopt;
    return Question{&property, test_case};
  };
  return check_all(once).count > 0;
}

void Checker::keep(Question question, std::optional<Violation> violation) {
  auto& [property, test_case] = question;
  const bool crashed = violation && !violation->crash.empty();
  const std::size_t held = !violation ? test_case.steps.size() : crashed ? 0 : violation->step;
  const RuleCounts counts = checks_in(*property, test_case, held, features_);
  for (const Rule rule : every_rule) at(checks_, rule) += at(counts, rule);
  evidence_.add({property, std::move(test_case), std::move(violation)});
  if (crashed) investigate_crash(evidence_.all().size() - 1);
}

// Finds the shortest prefix of the case that crashes the store. This takes fewer runs than shrinking, and each run may
// cost the start of a process, or a timeout.
void Checker::investigate_crash(std::size_t observation) {
  const auto& [property, test_case, violation] = evidence_.all()[observation];
  Failure failure{property, test_case, *violation};
  std::size_t survived = 0, deadly = test_case.steps.size();
  while (survived + 1 < deadly && !plan_.stop()) {
    const std::size_t middle = survived + (deadly - survived) / 2;
    Case part = test_case;
    part.steps.resize(middle);
    auto again = ask_(*property, part);
    const bool crashes = again && !again->crash.empty();
    (crashes ? deadly : survived) = middle;
    if (crashes) failure = {property, std::move(part), std::move(*again)};
  }
  const Operation last = failure.test_case.steps.back().operation;
  const auto rule = blamed_rule(evidence_, failure, rarity_);
  leave_out({last.index(), rule, ttl_in(last)}, *property);
  add_crash(observation, std::move(failure), rule);
  if (crashed_.size() >= most_crashes) has_given_up_ = true;
}

void Checker::add_crash(std::size_t observation, Failure failure, std::optional<Rule> rule) {
  const auto same =
      std::find_if(crashes_.begin(), crashes_.end(), [&](const Finding& crash) { return crash.rule == rule; });
  crashed_.emplace_back(observation, static_cast<std::size_t>(same - crashes_.begin()));
  const std::size_t size = evidence_.all()[observation].test_case.steps.size();
  if (same == crashes_.end())
    crashes_.push_back({.rule = rule, .failure = std::move(failure), .shrunk_from = size});
  else
    ++same->times;
}

// Leaves out operations of this kind: at first those with the same ttl, then those decided by the same rule, then all,
// and at last the property, which sends more requests than the case has.
void Checker::leave_out(const CrashTrigger& crash, const Property& property) {
  const CrashTrigger steps[] = {{crash.kind, {}, crash.ttl}, {crash.kind, crash.rule, {}}, {crash.kind, {}, {}}};
  for (const CrashTrigger& step : std::span(steps).subspan(crash.ttl ? 0 : 1)) {
    if (std::find(crash_triggers_.begin(), crash_triggers_.end(), step) != crash_triggers_.end()) continue;
    crash_triggers_.push_back(step);
    return;
  }
  crashing_properties_.push_back(&property);
}

Case Checker::within_reach(Case test_case) const {
  test_case = within(features_, std::move(test_case));
  for (const auto& [kind, rule, ttl] : crash_triggers_) {
    const auto steps = decisive_steps(test_case);
    Case rest{test_case.start, {}};
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Operation& operation = test_case.steps[i].operation;
      const bool is_trigger =
          operation.index() == kind && (!rule || steps[i].contains(*rule)) && (!ttl || ttl_in(operation) == ttl);
      if (!is_trigger) rest.steps.push_back(operation);
    }
    test_case = std::move(rest);
  }
  return test_case;
}

const Finding* Checker::crash_of(std::size_t observation) const {
  for (const auto& [crashed, place] : crashed_)
    if (crashed == observation) return &crashes_[place];
  return nullptr;
}

}  // namespace mayfly::conformance
