#include "checks.hpp"

#include <algorithm>

#include "mayfly/props/property/exercise.hpp"

namespace mayfly::conformance {

namespace {

void count(RuleCounts& counts, RuleSet rules) {
  for (const Rule rule : every_rule) at(counts, rule) += rules.contains(rule) ? 1 : 0;
}

}  // namespace

RuleCounts checks_in(const Property& property, const Case& test_case, std::size_t operations,
                     const Features& features) {
  RuleCounts counts{};
  if (property.is_agreement()) {
    const auto steps = exercised_steps(test_case, property.watch());
    for (std::size_t i = 0; i < std::min(operations, steps.size()); ++i) count(counts, steps[i]);
  } else if (operations >= test_case.steps.size()) {
    count(counts, exercised_by_law(property, test_case) & only_laws_tell);
  }
  for (const Rule rule : every_rule)
    if (!lacking(rule, features).empty()) at(counts, rule) = 0;
  return counts;
}

}  // namespace mayfly::conformance
