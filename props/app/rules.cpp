#include <fmt/format.h>

#include "command.hpp"
#include "mayfly/model/clause.hpp"
#include "mayfly/props/property.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/props/scenarios.hpp"
#include "mayfly/sim/input_error.hpp"

namespace mayfly::app {

namespace {

std::string text_of(const Clause& clause, Level level_of_rule) {
  const bool is_decided_within = clause.level == Level::decided && level_of_rule == Level::stated;
  return fmt::format("{}{}: {}", clause.id, is_decided_within ? ", decided" : "", clause.sentence);
}

void print_rule(const RuleText& rule) {
  const auto print_line = [](std::string_view id, std::string_view kind, std::string_view text) {
    fmt::print("{}\n", folded(fmt::format("{:<2}  {:<8}  {}", id, kind, text), 14));
  };
  const auto print_check = [&](std::string_view kind, std::string_view name) { print_line("", kind, name); };
  print_line(rule.id, rule.level == Level::stated ? "stated" : "decided", rule.sentence);
  for (const Clause& clause : all_clauses())
    if (clause.rule == rule.rule) print_check("clause", text_of(clause, rule.level));
  for (const Property& property : all_properties())
    if (property.rules.contains(rule.rule)) print_check("property", property.name);
  for (const auto& scenario : scenario_names())
    if (scenario.starts_with(fmt::format("{}-", rule.id))) print_check("scenario", scenario);
}

}  // namespace

Exit rules(const RulesOptions& options) {
  if (options.ids.empty())
    for (const auto& rule : all_rules()) print_rule(rule);
  for (const auto& id : options.ids) {
    const auto rule = rule_named(id);
    if (!rule) throw InputError(fmt::format("rules: there is no rule \"{}\"; `mayfly rules` lists them", id));
    print_rule(all_rules()[static_cast<std::size_t>(*rule)]);
  }
  return Exit::held;
}

}  // namespace mayfly::app
