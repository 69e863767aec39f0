#include "mayfly/props/conformance/defect_hypothesis.hpp"

#include <algorithm>

namespace mayfly {

namespace {

/// The wrong part of the answer.
Outcome wrong_part(const Exchange& exchange) {
  Outcome actual = comparable(exchange.actual);
  const auto& allowed = exchange.expected.answer.documents;
  if (!exchange.expected.may_miss || !allowed || !actual.documents) return actual;
  std::erase_if(*actual.documents, [&](const Document& document) {
    return std::find(allowed->begin(), allowed->end(), document) != allowed->end();
  });
  return actual;
}

bool is_only_about_charge(const Exchange& exchange) {
  Expectation expected = exchange.expected;
  expected.answer = comparable(std::move(expected.answer));
  return allows(expected, comparable(exchange.actual));
}

}  // namespace

Outcome DefectHypothesis::apply(const Step& step) {
  Outcome outcome = store_.apply(step);
  if (!features_.charge) outcome.charge.reset();
  return outcome;
}

bool are_alike(const Violation& a, const Violation& b) {
  if (!a.crash.empty() || !b.crash.empty()) return false;
  return a.step == b.step && a.operation == b.operation && wrong_part(a.exchange) == wrong_part(b.exchange) &&
         comparable(a.exchange.expected.answer) == comparable(b.exchange.expected.answer) &&
         is_only_about_charge(a.exchange) == is_only_about_charge(b.exchange);
}

}  // namespace mayfly
