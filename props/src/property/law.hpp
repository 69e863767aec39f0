#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "mayfly/props/property/property.hpp"

// The parts of laws. Most laws say: run a case, run a variant of it, and the operations that both have in common get
// the same answers. Such a law consists of a few functions: `base` brings a case into the law's scope, `vary` makes the
// variant, `view` removes the parts of answers that may differ.

namespace mayfly::law {

using Outcomes = std::vector<Outcome>;

inline constexpr Budget plenty{1'000'000'000};

inline Outcomes run(const Case& test_case, Subject& subject) {
  Outcomes outcomes;
  outcomes.reserve(test_case.steps.size());
  SentCase sent(subject, test_case);
  while (outcomes.size() < test_case.steps.size()) outcomes.push_back(sent.receive());
  return outcomes;
}

/// A case made from another, and for each of its operations the corresponding one there, or `added`.
struct Variant {
  static constexpr std::size_t added = static_cast<std::size_t>(-1);

  Case test_case;
  std::vector<std::size_t> origin;

  void add(Step step, std::size_t stands_for = added) {
    test_case.steps.push_back(std::move(step));
    origin.push_back(stands_for);
  }
};

/// Two answers of one store are the same if the rules allow the second wherever the first is expected, and the charges
/// are equal.
inline bool are_same(const Outcome& expected, const Outcome& actual) {
  return expected.charge == actual.charge && allows({.answer = expected, .may_purge = plenty}, actual);
}

template <class Kind>
bool is(const Operation& operation) {
  return std::holds_alternative<Kind>(operation);
}

// No rule limits the charge for an answer's length, which may change with a ttl or a later _ts: only reads with equal
// answers must cost the same.
inline void forget_charge_of_length(const Operation& operation, Outcome& expected, Outcome& actual) {
  if (!is_read_only(operation) || allows({.answer = expected, .may_purge = plenty}, actual)) return;
  expected.charge.reset();
  actual.charge.reset();
}

struct Comparison {
  Case (*base)(const Case&);
  Variant (*vary)(const Case& base, const Outcomes& answers);
  /// Removes from the answer the parts that may differ.
  void (*view)(Outcome&, const Operation&, const Case& test_case) = [](Outcome&, const Operation&, const Case&) {};
};

/// A law compares whole runs, so its violation is at the end.
inline std::size_t last_step(const Case& test_case) { return test_case.steps.size() - 1; }

template <const Comparison& law>
std::optional<Violation> check_law(const Case& test_case, Subject& subject) {
  const Case base = law.base(test_case);
  const Outcomes answers = run(base, subject);
  const Variant variant = law.vary(base, answers);
  const Outcomes varied = run(variant.test_case, subject);
  for (std::size_t i = 0; i < varied.size(); ++i) {
    const std::size_t origin = variant.origin[i];
    if (origin == Variant::added || is<Held>(base.steps[origin].operation))
      continue;  // when to purge is up to the store (P1)
    Outcome expected = answers[origin];
    Outcome actual = varied[i];
    forget_charge_of_length(base.steps[origin].operation, expected, actual);
    law.view(expected, base.steps[origin].operation, base);
    law.view(actual, variant.test_case.steps[i].operation, variant.test_case);
    if (!are_same(expected, actual))
      return Violation{last_step(test_case), variant.test_case.steps[i].operation, {{expected}, actual}};
  }
  return std::nullopt;
}

template <const Comparison& comparison>
constexpr Law law_of(Feature needs = nullptr) {
  return {check_law<comparison>, needs, comparison.base};
}

inline Case as_it_is(const Case& test_case) { return test_case; }

template <class Kind>
Case without(const Case& test_case) {
  Case rest{test_case.start, {}};
  for (const auto& step : test_case.steps)
    if (!is<Kind>(step.operation)) rest.steps.push_back(step);
  return rest;
}

/// Applies `change(operation&)` to every operation that it accepts.
template <class Change>
Case changed(Case test_case, Change change) {
  for (auto& step : test_case.steps)
    std::visit(
        [&](auto& o) {
          if constexpr (std::is_invocable_v<Change, decltype(o)>) change(o);
        },
        step.operation);
  return test_case;
}

template <class Keep>
Variant keep_if(const Case& base, Keep keep) {
  Variant variant{{base.start, {}}, {}};
  for (std::size_t i = 0; i < base.steps.size(); ++i)
    if (keep(base.steps[i].operation, i)) variant.add(base.steps[i], i);
  return variant;
}

inline Variant operation_by_operation(const Case& test_case) {
  return keep_if(test_case, [](const Operation&, std::size_t) { return true; });
}

template <class Change>
void for_each_document(Outcome& outcome, Change change) {
  if (outcome.document) change(*outcome.document);
  if (outcome.documents) std::for_each(outcome.documents->begin(), outcome.documents->end(), change);
}

/// A view for laws that change a ttl.
inline void but_for_ttl(Outcome& outcome, const Operation&, const Case&) {
  for_each_document(outcome, [](Document& document) { document.ttl = Inherit{}; });
}

inline std::set<DocumentKey> keys_in(const Case& test_case) {
  std::set<DocumentKey> keys;
  for (const auto& step : test_case.steps)
    if (const auto* key = key_of(step.operation)) keys.insert(*key);
  return keys;
}

// While a lazy index is behind, its answers depend on the order in which the store walks its slots (I3). So the laws
// about answers use consistent collections.
inline Case with_exact_queries(const Case& test_case) {
  return changed(test_case, [](std::derived_from<DefinesCollection> auto& o) {
    if (o.definition.indexing == Indexing::lazy) o.definition.indexing = Indexing::consistent;
  });
}

}  // namespace mayfly::law
