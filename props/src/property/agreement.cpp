#include "mayfly/props/property/agreement.hpp"

#include "mayfly/props/property/exercise.hpp"
#include "mayfly/props/property/property.hpp"

namespace mayfly {

namespace {

RuleSet rules_of(Exercise& exercise, ReferenceStore& before, Instant now, const Operation& operation) {
  before.settle(now);
  return exercise.rules_at(before, now, operation);
}

std::optional<Violation> check_step_by_step(const Case& test_case, Subject& subject, Watch watch, Tally* tally) {
  const RuleSet hidden = tally ? hidden_by(subject) : RuleSet{};
  Exercise exercise(watch);
  Lockstep lockstep(test_case.start, subject);
  for (std::size_t step = 0; step < test_case.steps.size(); ++step) {
    const auto& operation = test_case.steps[step].operation;
    const RuleSet rules = tally ? rules_of(exercise, lockstep.reference(), lockstep.now(), operation) : RuleSet{};
    Exchange exchange = lockstep.step(test_case.steps[step]);
    if (tally) tally->count(rules.without(hidden), operation, exchange.actual);
    if (!exchange.is_allowed) return Violation{step, operation, std::move(exchange)};
    if (watch == Watch::nothing) continue;
    if (auto difference = lockstep.observe())
      return Violation{step, std::move(difference->operation), std::move(difference->exchange)};
  }
  return std::nullopt;
}

/// The requests to a store that answers as the rules allow, and the allowed answers.
struct Foretold {
  struct Answer {
    std::size_t step;
    bool is_observation;
    RuleSet rules;  ///< the rules that decide the step
    Expectation expected;
  };
  Case asked;  ///< the case with the requests of the observations
  std::vector<Answer> answers;
};

Foretold foretell(const Case& test_case, Watch watch, bool with_rules) {
  Foretold foretold{{test_case.start, {}}, {}};
  const std::size_t usual = test_case.steps.size() * (watch == Watch::nothing ? 1 : 6);
  foretold.asked.steps.reserve(usual);
  foretold.answers.reserve(usual);
  Exercise exercise(watch);
  Judge judge(test_case.start);
  FullObservation observation;
  for (std::size_t i = 0; i < test_case.steps.size(); ++i) {
    const auto ask = [&](const Step& step, RuleSet rules, bool is_observation) {
      foretold.asked.steps.push_back(step);
      foretold.answers.push_back({i, is_observation, rules, judge.expect(step.operation)});
      return &foretold.answers.back().expected;
    };
    const auto& step = test_case.steps[i];
    ask(step, with_rules ? rules_of(exercise, judge.reference(), judge.now(), step.operation) : RuleSet{}, false);
    if (watch == Watch::nothing) continue;
    observation.remember(step.operation);
    observation.ask_all([&](const Operation& request) { return ask(request, {}, true); });
  }
  return foretold;
}

// The requests to a conforming store do not depend on its answers, so they can be sent all at once. Up to the first
// answer that is not allowed, every store gets the same requests; later answers do not matter.
std::optional<Violation> check_at_once(const Case& test_case, RemoteSubject& subject, Watch watch, Tally* tally) {
  const RuleSet hidden = tally ? hidden_by(subject) : RuleSet{};
  Foretold foretold = foretell(test_case, watch, tally != nullptr);
  SentCase sent(subject, foretold.asked);
  for (std::size_t i = 0; i < foretold.answers.size(); ++i) {
    auto& [step, is_observation, rules, expected] = foretold.answers[i];
    const Operation& operation = foretold.asked.steps[i].operation;
    const Outcome actual = sent.receive();
    if (tally && !is_observation) tally->count(rules.without(hidden), operation, actual);
    if (allows(expected, actual)) continue;
    return Violation{step, operation, {std::move(expected), actual}};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Violation> check_agreement(const Case& test_case, Subject& subject, Watch watch, Tally* tally) {
  RemoteSubject* remote = subject.remote();
  if (remote && subject.features().batch) return check_at_once(test_case, *remote, watch, tally);
  return check_step_by_step(test_case, subject, watch, tally);
}

}  // namespace mayfly
