#include "mayfly/props/property/agreement.hpp"

#include "mayfly/props/property/exercise.hpp"
#include "mayfly/props/property/property.hpp"

namespace mayfly {

namespace {

/// The rules that each operation of a case exercises, where they are counted.
class Exercised {
 public:
  explicit Exercised(bool is_counted) : is_counted_(is_counted) {}

  /// Before the operation.
  void ask(ReferenceStore& before, Instant now, const Operation& operation) {
    if (!is_counted_) return;
    before.settle(now);
    rules_ = exercise_.rules_at(before, now, operation);
  }
  /// After it.
  void observe(const FullObservation& observation, ReferenceStore& after, Instant now) {
    if (!is_counted_) return;
    after.settle(now);
    rules_ |= exercise_.rules_shown(observation, after, now);
  }
  RuleSet rules() const { return rules_; }

 private:
  bool is_counted_;
  Exercise exercise_;
  RuleSet rules_;
};

std::optional<Violation> check_step_by_step(const Case& test_case, Subject& subject, Watch watch, Tally* tally) {
  const RuleSet hidden = tally ? hidden_by(subject) : RuleSet{};
  const bool is_watched = watch == Watch::everything;
  Exercised exercised(tally != nullptr);
  Lockstep lockstep(test_case.start, subject);
  for (std::size_t i = 0; i < test_case.steps.size(); ++i) {
    const Step& step = test_case.steps[i];
    exercised.ask(lockstep.reference(), lockstep.now(), step.operation);
    Exchange exchange = is_watched ? lockstep.step(step) : lockstep.ask(step);
    if (i + 1 == test_case.steps.size()) lockstep.end();
    if (is_watched) exercised.observe(lockstep.observation(), lockstep.reference(), lockstep.now());
    if (tally) tally->count(exercised.rules().without(hidden), step.operation, exchange.actual);
    if (!exchange.is_allowed) return Violation{i, step.operation, std::move(exchange)};
    if (!is_watched) continue;
    if (auto difference = lockstep.observe())
      return Violation{i, std::move(difference->operation), std::move(difference->exchange)};
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
  Exercised exercised(with_rules);
  Judge judge(test_case.start);
  FullObservation observation;
  for (std::size_t i = 0; i < test_case.steps.size(); ++i) {
    const auto ask = [&](const Step& step, bool is_observation) {
      foretold.asked.steps.push_back(step);
      foretold.answers.push_back({i, is_observation, {}, judge.expect(step.operation)});
      return true;
    };
    const Step& step = test_case.steps[i];
    exercised.ask(judge.reference(), judge.now(), step.operation);
    ask(step, false);
    Foretold::Answer& answer = foretold.answers.back();
    if (watch == Watch::everything) {
      observation.remember(step.operation, answer.expected.answer.status);
      if (i + 1 == test_case.steps.size()) observation.end();
      exercised.observe(observation, judge.reference(), judge.now());
    }
    answer.rules = exercised.rules();
    if (watch == Watch::nothing) continue;
    observation.ask_all(judge.reference(), [&](const Step& request) { return ask(request, true); });
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
