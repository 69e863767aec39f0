#include "checks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mayfly/props/decisive.hpp"

namespace mayfly::conformance {

namespace {

struct Need {
  RuleSet rules;
  Feature feature;
};
constexpr Need needs[] = {
    {{Rule::P1, Rule::P2, Rule::P3, Rule::P4, Rule::P5, Rule::R1}, &Features::purge},
    {{Rule::P2, Rule::R1, Rule::R2}, &Features::charge},
    {{Rule::W4}, &Features::patch},
    {{Rule::I3, Rule::I4}, &Features::lazy},
};

RuleCounts counts_of_law(const Property& law, const Case& test_case) {
  Case whole = test_case;
  if (law.rules.contains(Rule::P5)) whole.operations.push_back(Purge{{1'000'000'000}});  // as the law does in the end
  RuleSet decisive;
  for (const RuleSet rules : decisive_steps(whole)) decisive |= rules;
  RuleCounts counts{};
  for (const Rule rule : every_rule)
    if (only_laws_tell.contains(rule) && law.rules.contains(rule) && decisive.contains(rule)) at(counts, rule) = 1;
  return counts;
}

RuleCounts counts_of_agreement(const Case& test_case, std::size_t operations) {
  const auto steps = decisive_steps(test_case);
  RuleCounts counts{};
  for (std::size_t i = 0; i < std::min(operations, steps.size()); ++i)
    for (const Rule rule : every_rule)
      if (steps[i].contains(rule) && !only_laws_tell.contains(rule)) ++at(counts, rule);
  return counts;
}

}  // namespace

bool is_agreement(const Property& property) {
  return &property == &agrees_unwatched() || &property == &agrees_watched();
}

std::string lacking(Rule rule, const Visible& visible) {
  for (const auto& [rules, feature] : needs)
    if (rules.contains(rule) && !has(visible.features, feature))
      for (const auto& text : all_features)
        if (text.feature == feature) return fmt::format("it has no {}", text.name);
  return rule == Rule::P5 && !visible.tells_held ? "no target tells what it holds" : "";
}

RuleCounts checks_in(const Property& property, const Case& test_case, std::size_t operations, const Visible& visible) {
  const bool is_whole = operations >= test_case.operations.size();
  RuleCounts counts = is_agreement(property) ? counts_of_agreement(test_case, operations)
                      : is_whole             ? counts_of_law(property, test_case)
                                             : RuleCounts{};
  for (const Rule rule : every_rule)
    if (!lacking(rule, visible).empty()) at(counts, rule) = 0;
  return counts;
}

}  // namespace mayfly::conformance
