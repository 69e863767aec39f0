#include "candidates.hpp"

#include <algorithm>

#include "mayfly/props/property/check.hpp"
#include "mayfly/props/property/decisive.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/sim/full_observation.hpp"

namespace mayfly::conformance {

namespace {

constexpr RuleSet about_charges{Rule::P2, Rule::R1, Rule::R2};

template <class... Kinds>
bool is_any_of(const Operation& operation) {
  return (std::holds_alternative<Kinds>(operation) || ...);
}

bool writes(const Operation& operation) { return is_any_of<Create, Replace, Upsert, PatchDocument>(operation); }

Rule about_content(const Operation& operation) {
  return std::holds_alternative<PatchDocument>(operation) ? Rule::W4 : Rule::W3;
}

/// The case up to and including the request at which it fails, even if that is a read.
Case up_to_the_failure(const Failure& failure) {
  const auto& [step, operation, exchange, crash] = failure.violation;
  Case whole = failure.test_case;
  whole.steps.resize(std::min(whole.steps.size(), step + 1));
  if (whole.steps.empty() || whole.steps.back().operation != operation) whole.steps.push_back(operation);
  return whole;
}

/// The rules that an operation concerns even if it does not show them itself: a change of the default while no document
/// shows it, and a write over an earlier document, expired or not.
RuleSet subjects_of(const ReferenceStore& before, const Operation& operation) {
  const auto* collection_name = collection_of(operation);
  const auto found = collection_name ? before.collections().find(*collection_name) : before.collections().end();
  if (found == before.collections().end()) return {};
  const Settings& settings = found->second.settings;
  const auto& documents = found->second.documents;
  if (const auto* change = std::get_if<ReplaceCollection>(&operation)) {
    const auto asked = valid_settings(change->definition);
    if (!asked || asked->default_ttl == settings.default_ttl) return {};
    if (std::holds_alternative<Off>(asked->default_ttl)) return {Rule::F1};
    return {std::holds_alternative<Off>(settings.default_ttl) ? Rule::F2 : Rule::W5};
  }
  const auto* key = key_of(operation);
  if (!key || !writes(operation) || !documents.contains({key->partition, key->id})) return {};
  return std::holds_alternative<Create>(operation) ? RuleSet{Rule::W1} : RuleSet{Rule::W1, about_content(operation)};
}

/// The rules that decide each step, and those that it concerns.
std::vector<RuleSet> rules_of_steps(const Case& test_case) {
  auto steps = decisive_steps(test_case);
  ReferenceStore reference;
  Clock clock{test_case.start};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i] |= subjects_of(reference, test_case.steps[i].operation);
    apply(reference, clock, test_case.steps[i].operation);
  }
  return steps;
}

bool concerns_only_charges(const Exchange& exchange) {
  Expectation expected = exchange.expected;
  Outcome actual = exchange.actual;
  expected.answer.charge.reset();
  actual.charge.reset();
  actual.malformed = {};
  for (const auto& field : exchange.actual.malformed)
    if (field.name != "charge") actual.malformed.add(field);
  return allows(expected, actual);
}

/// Whether a store may answer this status to a request of this kind, whatever it holds (C2).
bool is_known_status(const Operation& operation, Status status) {
  switch (status) {
    case Status::ok:
      return !is_any_of<Create, Delete, CreateCollection, DeleteCollection>(operation);
    case Status::created:
      return is_any_of<Create, Upsert, CreateCollection>(operation);
    case Status::no_content:
      return is_any_of<Delete, DeleteCollection>(operation);
    case Status::conflict:
      return is_any_of<Create, CreateCollection>(operation);
    case Status::bad_request:
      return !is_any_of<Read, Delete, ReadCollection, DeleteCollection>(operation);
    case Status::not_found:
      return !is_any_of<CreateCollection>(operation);
  }
  return false;
}

bool is_known_success(Status status) {
  return status == Status::ok || status == Status::created || status == Status::no_content;
}

/// The rules by which a request may be rejected.
RuleSet rejecting(const Operation& operation) {
  if (writes(operation)) return {Rule::T3, Rule::T4};
  if (is_any_of<CreateCollection, ReplaceCollection>(operation)) return {Rule::T1, Rule::T2, Rule::I1};
  if (search_of(operation)) return {Rule::I6};
  return {};
}

/// The rule that the answer alone proves broken, if it does: by a status that no such request has, or by a write that
/// answers with another document than the request's.
std::optional<Rule> beyond_doubt(const Violation& violation) {
  const Outcome &expected = violation.exchange.expected.answer, &actual = violation.exchange.actual;
  if (!is_known_status(violation.operation, actual.status)) return Rule::C2;
  if (!writes(violation.operation) || expected.status != actual.status) return std::nullopt;
  if (!expected.document || !actual.document) return std::nullopt;
  const Document &wanted = *expected.document, &given = *actual.document;
  if (wanted.value != given.value || given.malformed.contains("value")) return about_content(violation.operation);
  if (wanted.ts != given.ts || given.malformed.contains("_ts")) return Rule::W1;
  return std::nullopt;
}

/// The rules that the difference points to, even if they do not decide the step.
RuleSet suggested(const Violation& violation) {
  const Outcome &expected = violation.exchange.expected.answer, &actual = violation.exchange.actual;
  if (expected.status != actual.status)
    return actual.status == Status::bad_request ? rejecting(violation.operation) : RuleSet{};
  const bool shows_the_same = identities_in(expected) == identities_in(actual);
  const bool has_content = expected.document || (expected.documents && !expected.documents->empty());
  if (!shows_the_same || !has_content) return {};
  return {Rule::W1, about_content(violation.operation)};
}

RuleSet possible(RuleSet rules, const Failure& failure, const Features& features) {
  const Exchange& exchange = failure.violation.exchange;
  if (concerns_only_charges(exchange)) return rules & about_charges;
  RuleSet left = rules.without(about_charges);
  if (exchange.expected.answer.status == exchange.actual.status) left = left.without({Rule::C2});
  for (const Rule rule : every_rule)
    if (!lacking(rule, features).empty()) left = left.without({rule});
  return left;
}

/// Passes requests to the reference, and records them.
class QuestionRecorder final : public Subject {
 public:
  explicit QuestionRecorder(const Features& features) : features_(features) {}
  std::string name() const override { return reference_.name(); }
  void reset(Instant now) override {
    runs_.push_back({now, {}});
    reference_.reset(now);
  }
  Outcome apply(const Step& step) override {
    runs_.back().steps.push_back(step);
    return reference_.apply(step);
  }
  Features features() const override { return features_; }
  std::vector<Case> take() && { return std::move(runs_); }

 private:
  Features features_;
  InProcess<ReferenceStore> reference_{"reference"};
  std::vector<Case> runs_;
};

}  // namespace

std::set<std::pair<std::string, std::string>> identities_in(const Outcome& outcome) {
  std::set<std::pair<std::string, std::string>> identities;
  if (outcome.document) identities.emplace(outcome.document->partition, outcome.document->id);
  if (outcome.documents)
    for (const auto& document : *outcome.documents) identities.emplace(document.partition, document.id);
  return identities;
}

std::vector<CandidateStep> candidate_steps(const Failure& failure,
                                           const std::function<bool(std::size_t)>& holds_without) {
  const Case whole = failure.property->is_agreement() ? up_to_the_failure(failure) : failure.test_case;
  const auto rules = rules_of_steps(whole);
  std::vector<CandidateStep> steps;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const bool is_the_failure = i >= failure.violation.step && failure.property->is_agreement();
    if (is_the_failure || holds_without(i)) steps.push_back({i, rules[i]});
  }
  return steps;
}

RuleSet broken_by_accepting(const Failure& failure) {
  const Exchange& exchange = failure.violation.exchange;
  const bool is_accepted =
      exchange.expected.answer.status == Status::bad_request && is_known_success(exchange.actual.status);
  if (!is_accepted || !failure.property->is_agreement()) return {};
  return deciding_rules(failure) & RuleSet{Rule::T2, Rule::T3, Rule::T4, Rule::I1};
}

RuleSet candidates_of(const Failure& failure, const std::vector<CandidateStep>& steps, const Features& features) {
  const bool is_law = !failure.property->is_agreement();
  if (const RuleSet broken = broken_by_accepting(failure); !broken.empty()) return broken;
  if (const auto rule = is_law ? std::nullopt : beyond_doubt(failure.violation)) return {*rule};
  RuleSet rules = is_law ? failure.property->rules : suggested(failure.violation);
  if (!is_law || rules.empty())
    for (const auto& step : steps) rules |= step.rules;
  return possible(rules, failure, features);
}

std::vector<Case> runs_of(const Property& property, const Case& test_case, const Features& features) {
  QuestionRecorder recorder(features);
  check(property, test_case, recorder);
  return std::move(recorder).take();
}

FailureSignature signature_of(const Failure& failure) {
  const bool is_law = !failure.property->is_agreement();
  FailureSignature signature{is_law ? failure.property : nullptr, {}};
  const Case whole = is_law ? failure.test_case : up_to_the_failure(failure);
  for (const auto& step : whole.steps)
    if (!is_read_only(step.operation)) signature.kinds.push_back(step.operation.index());
  return signature;
}

}  // namespace mayfly::conformance
