#include "examiner.hpp"

#include <algorithm>
#include <span>

#include "mayfly/props/decisive.hpp"
#include "mayfly/sim/ending.hpp"
#include "mayfly/sim/stopwatch.hpp"

namespace mayfly::conformance {

namespace {

constexpr std::size_t most_crashes = 12;
constexpr std::size_t runs_for_a_hang = 5;  // that it is worth, for the patience it takes

/// The ttl that a request says, for a document or as a default; nothing if it says none.
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
  std::size_t runs = 0;
  const auto counting = [&](const Property& property, const Case& test_case) {
    if (++runs > most_runs) return std::optional<Violation>();
    auto violation = runner(property, test_case);
    if (violation && is_hang_text(violation->crash)) runs += runs_for_a_hang;
    return violation;
  };
  return minimise(std::move(failure), Runner(counting, runner.foresight()),
                  [&] { return runs >= most_runs || watch.seconds() > most_seconds; });
}

bool Examiner::can_examine(const Property& property, const Case& test_case) const {
  const bool is_deadly =
      std::find(deadly_properties_.begin(), deadly_properties_.end(), &property) != deadly_properties_.end();
  const bool is_for_it = has(features_, property.needs) && can_run(features_, test_case);
  return !is_deadly && is_for_it && !test_case.steps.empty();
}

void Examiner::ask_ahead(std::vector<Question> questions) const {
  std::erase_if(questions,
                [&](const Question& question) { return !can_examine(*question.property, question.test_case); });
  ask_.ask_ahead(std::move(questions));
}

std::optional<std::size_t> Examiner::examine(const Property& property, const Case& test_case) {
  if (is_over() || !can_examine(property, test_case)) return std::nullopt;
  auto violation = ask_(property, test_case);
  if (!violation && is_stopped()) return std::nullopt;  // it may have been broken off
  const bool crashed = violation && !violation->crash.empty();
  const std::size_t held = !violation ? test_case.steps.size() : crashed ? 0 : violation->step;
  const RuleCounts counts = checks_in(property, test_case, held, features_);
  for (const Rule rule : every_rule) at(checks_, rule) += at(counts, rule);
  const std::size_t number = evidence_.all().size();
  evidence_.add({&property, test_case, std::move(violation)});
  if (crashed) look_into_crash(number);
  return number;
}

void Examiner::foresee_parts(const Property& property, const Case& test_case) const {
  if (!ask_.looks_ahead()) return;
  std::vector<Question> questions;
  Case part = test_case;
  while (part.steps.size() > 1) {
    part.steps.pop_back();
    questions.push_back({&property, part});
  }
  ask_.ask_ahead(std::move(questions));
}

// The shortest part of the case, from its beginning, that the store dies of. Fewer runs than shrinking it takes: each
// may cost the start of a process, or patience.
void Examiner::look_into_crash(std::size_t observation) {
  const auto& [property, test_case, violation] = evidence_.all()[observation];
  Failure failure{property, test_case, *violation};
  std::size_t survived = 0, deadly = test_case.steps.size();
  foresee_parts(*property, test_case);
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

void Examiner::add_crash(std::size_t observation, Failure failure, std::optional<Rule> rule) {
  const auto same =
      std::find_if(crashes_.begin(), crashes_.end(), [&](const Finding& crash) { return crash.rule == rule; });
  crashed_.emplace_back(observation, static_cast<std::size_t>(same - crashes_.begin()));
  const std::size_t size = evidence_.all()[observation].test_case.steps.size();
  if (same == crashes_.end())
    crashes_.push_back({.rule = rule, .failure = std::move(failure), .shrunk_from = size});
  else
    ++same->times;
}

// Of its kind, first what says the same ttl, then what is decided by the same rule, then everything, then the property,
// which asks for more than the case says.
void Examiner::leave_out(const Deadly& crash, const Property& property) {
  const Deadly steps[] = {{crash.kind, {}, crash.ttl}, {crash.kind, crash.rule, {}}, {crash.kind, {}, {}}};
  for (const Deadly& step : std::span(steps).subspan(crash.ttl ? 0 : 1)) {
    if (std::find(deadly_.begin(), deadly_.end(), step) != deadly_.end()) continue;
    deadly_.push_back(step);
    return;
  }
  deadly_properties_.push_back(&property);
}

Case Examiner::within_reach(Case test_case) const {
  test_case = within(features_, std::move(test_case));
  for (const auto& [kind, rule, ttl] : deadly_) {
    const auto steps = decisive_steps(test_case);
    Case rest{test_case.start, {}};
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Operation& operation = test_case.steps[i].operation;
      const bool is_deadly =
          operation.index() == kind && (!rule || steps[i].contains(*rule)) && (!ttl || ttl_in(operation) == ttl);
      if (!is_deadly) rest.steps.push_back(operation);
    }
    test_case = std::move(rest);
  }
  return test_case;
}

const Finding* Examiner::crash_of(std::size_t observation) const {
  for (const auto& [crashed, place] : crashed_)
    if (crashed == observation) return &crashes_[place];
  return nullptr;
}

}  // namespace mayfly::conformance
