#include "mayfly/props/exercise.hpp"
#include "mayfly/props/property.hpp"

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

/// What a store is asked for as long as it answers as the rules allow, and what they allow.
struct Foretold {
  struct Answer {
    std::size_t step;
    bool is_look;
    RuleSet rules;  ///< that decide the step
    Expectation expected;
  };
  std::vector<Request> requests;  ///< a reset and then, for each of the answers, an operation
  std::vector<Answer> answers;
};

Foretold foretell(const Case& test_case, Watch watch, bool with_rules) {
  Foretold foretold;
  const std::size_t usual = test_case.steps.size() * (watch == Watch::nothing ? 1 : 6);
  foretold.requests.reserve(usual + 1);
  foretold.answers.reserve(usual);
  foretold.requests.push_back(Reset{test_case.start});
  Exercise exercise(watch);
  ReferenceStore reference;
  Clock clock(test_case.start);
  Looks looks;
  for (std::size_t step = 0; step < test_case.steps.size(); ++step) {
    const auto ask = [&](const Operation& operation, RuleSet rules, bool is_look) {
      foretold.requests.emplace_back(operation);
      foretold.answers.push_back({step, is_look, rules, apply(reference, clock, operation)});
      return &foretold.answers.back().expected;
    };
    const auto& operation = test_case.steps[step].operation;
    ask(operation, with_rules ? rules_of(exercise, reference, clock.now(), operation) : RuleSet{}, false);
    if (watch == Watch::nothing) continue;
    looks.remember(operation);
    looks.take([&](const Operation& look) { return ask(look, {}, true); });
  }
  return foretold;
}

// What a store that conforms is asked does not depend on its answers, so that it can be asked all at once. Up to the
// first answer that is not allowed every store is asked the same, and the others are of no interest.
std::optional<Violation> check_at_once(const Case& test_case, RemoteSubject& subject, Watch watch, Tally* tally) {
  const RuleSet hidden = tally ? hidden_by(subject) : RuleSet{};
  Foretold foretold = foretell(test_case, watch, tally != nullptr);
  std::optional<Violation> violation;
  subject.ask_all(foretold.requests, [&](std::size_t request, const Outcome& actual) {
    if (request == 0) return true;  // the reset
    auto& [step, is_look, rules, expected] = foretold.answers[request - 1];
    const auto& operation = std::get<Step>(foretold.requests[request]).operation;
    if (tally && !is_look) tally->count(rules.without(hidden), operation, actual);
    if (allows(expected, actual)) return true;
    violation = Violation{step, operation, {std::move(expected), actual}};
    return false;
  });
  return violation;
}

}  // namespace

std::optional<Violation> check_agreement(const Case& test_case, Subject& subject, Watch watch, Tally* tally) {
  RemoteSubject* remote = subject.remote();
  if (remote && subject.features().batch) return check_at_once(test_case, *remote, watch, tally);
  return check_step_by_step(test_case, subject, watch, tally);
}

}  // namespace mayfly
