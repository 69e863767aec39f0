#include "blame.hpp"

#include <algorithm>

#include "candidates.hpp"
#include "mayfly/props/conformance/conformance.hpp"
#include "mayfly/props/generate/generate.hpp"
#include "mayfly/props/property/decisive.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/sim/random.hpp"

namespace mayfly::conformance {

namespace {

constexpr int sample = 200;  // cases: enough to distinguish rare rules from frequent ones

RuleSet rules_of_all_steps(const Case& test_case) {
  RuleSet rules;
  for (const RuleSet step : decisive_steps(test_case)) rules |= step;
  return rules;
}

RuleSet resembled(Evidence& evidence, const Failure& failure) {
  RuleSet rules;
  for (const auto& text : all_defects()) {
    if (!failure.violation.crash.empty()) break;
    const auto expected = evidence.predicted(text.defect, *failure.property, failure.test_case);
    rules.add_if(expected && are_alike(*expected, failure.violation), text.rule());
  }
  return rules;
}

// The rules about which ttl counts and whether a document is expired: irrelevant for a document that both stores show.
constexpr RuleSet about_expiry{Rule::T5, Rule::T6, Rule::E1, Rule::E2, Rule::E3, Rule::X1, Rule::X2,
                               Rule::X4, Rule::X5, Rule::F1, Rule::F2, Rule::F3, Rule::P1};

RuleSet without(RuleSet rules, RuleSet others) {
  RuleSet rest;
  for (const Rule rule : every_rule) rest.add_if(rules.contains(rule) && !others.contains(rule), rule);
  return rest;
}

/// The answer without any _ts, in the usual order.
Outcome without_ts(Outcome outcome) {
  if (outcome.document) outcome.document->ts = {};
  if (outcome.documents)
    for (auto& document : *outcome.documents) document.ts = {};
  return comparable(std::move(outcome));
}

/// The rules that the difference between the answers points to; empty if there are none.
RuleSet suggested(const Failure& failure, RuleSet deciding) {
  const auto& [step, operation, exchange, crash] = failure.violation;
  if (!crash.empty()) return deciding.contains(Rule::X2) ? deciding : without(deciding, about_expiry);
  const Outcome &expected = exchange.expected.answer, &actual = exchange.actual;
  if (!failure.property->is_agreement() || exchange.expected.may_miss) return {};
  const RuleSet broken = broken_by_accepting(failure);
  if (broken.contains(Rule::T3)) return {Rule::T3};  // T4 alone may be broken, but that is rarer
  if (identities_in(expected) != identities_in(actual)) return deciding;
  if (expected.status != actual.status) return without(deciding, about_expiry);
  if (identities_in(expected).empty()) return deciding;
  if (without_ts(expected) == without_ts(actual)) return {Rule::W1};
  return {std::holds_alternative<PatchDocument>(operation) ? Rule::W4 : Rule::W3};
}

}  // namespace

Rarity::Rarity(std::uint64_t seed) {
  Random random(seed);
  for (int i = 0; i < sample; ++i)
    for (const RuleSet rules : decisive_steps(generate(random.next(), {})))
      for (const Rule rule : every_rule)
        if (rules.contains(rule)) ++at(counts_, rule);
}

std::optional<Rule> Rarity::rarest(RuleSet rules) const {
  std::optional<Rule> best;
  for (const Rule rule : every_rule)
    if (rules.contains(rule) && (!best || at(counts_, rule) < at(counts_, *best))) best = rule;
  return best;
}

std::optional<Rule> blamed_rule(Evidence& evidence, const Failure& failure, const Rarity& rarity) {
  const RuleSet deciding = deciding_rules(failure);
  const RuleSet checked_rules = failure.property->rules;
  const RuleSet alike = resembled(evidence, failure);
  const RuleSet guesses[] = {deciding & alike,
                             alike,
                             suggested(failure, deciding & checked_rules),
                             deciding & checked_rules,
                             failure.property->is_agreement() ? RuleSet{} : checked_rules,
                             deciding,
                             rules_of_all_steps(failure.test_case)};
  for (const RuleSet rules : guesses)
    if (!rules.empty()) return rarity.rarest(rules);
  return std::nullopt;
}

}  // namespace mayfly::conformance

namespace mayfly {

std::optional<Rule> likely_rule(const Failure& failure, const Subject& subject) {
  Evidence evidence(subject);
  return conformance::blamed_rule(evidence, failure, conformance::Rarity(0));
}

}  // namespace mayfly
