#include <fmt/format.h>

#include "command.hpp"
#include "mayfly/model/clause.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/property/property.hpp"
#include "mayfly/props/property/scenarios.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/input_error.hpp"

namespace mayfly::app {

namespace {

struct RulesOptions {
  std::vector<std::string> ids;
  bool quiet = false;
};

void declare(CommandLine& line, RulesOptions& options) {
  line.arguments("ID", options.ids, "Only these rules, such as X1");
  line.flag("--quiet", options.quiet, "Only their ids");
}

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

/// Those named, or all of them.
std::vector<Rule> wanted_rules(const std::vector<std::string>& ids) {
  std::vector<Rule> rules;
  for (const auto& id : ids) {
    const auto rule = rule_named(id);
    if (!rule) throw InputError(fmt::format("rules: there is no rule \"{}\"; `mayfly rules` lists them", id));
    rules.push_back(*rule);
  }
  if (ids.empty())
    for (const auto& rule : all_rules()) rules.push_back(rule.rule);
  return rules;
}

Exit print_rules(const RulesOptions& options, const CommandLine&) {
  for (const Rule rule : wanted_rules(options.ids))
    if (options.quiet)
      fmt::print("{}\n", id_of(rule));
    else
      print_rule(all_rules()[static_cast<std::size_t>(rule)]);
  return Exit::held;
}

}  // namespace

Command rules_command() {
  return command("rules", "The rules by id, with their level and where each is checked", declare, print_rules);
}

}  // namespace mayfly::app
