#include <fmt/format.h>

#include "command.hpp"
#include "mayfly/model/clause.hpp"
#include "mayfly/props/defects/catalogue.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/property/property.hpp"
#include "mayfly/props/property/scenarios.hpp"
#include "mayfly/props/report/text.hpp"
#include "terminal.hpp"
#include "unknown_word.hpp"

namespace mayfly::app {

namespace {

struct RulesOptions {
  std::vector<std::string> ids;
  bool quiet = false;
};

void declare(CommandLine& line, RulesOptions& options) {
  line.arguments("ID", options.ids, "Rules to show in full, such as X1 or x1, or by a clause, such as X2.query");
  line.flag("--quiet", options.quiet, "Print only the ids");
}

// RULES.md has a row for each rule and may have a section that argues for it.

/// The part of the page between two strings; empty if the first is not there.
std::string_view between(std::string_view page, const std::string& begin, std::string_view end) {
  const auto found = page.find(begin);
  if (found == std::string_view::npos) return {};
  page.remove_prefix(found + begin.size());
  return page.substr(0, page.find(end));
}

std::string_view sentences_of(const RuleText& rule) {
  const auto row =
      between(rules_page_texts().front(), fmt::format("\n| {} | {} | ", rule.id, letter_of(rule.level)), " |\n");
  return row.substr(0, row.find(" Argued [below]"));
}

std::string_view argument_for(const RuleText& rule) {
  return between(rules_page_texts().front(), fmt::format(" ({})\n\n", rule.id), "\n## ");
}

/// Each paragraph and each item of a list as one line.
std::string unwrapped(std::string_view section) {
  std::string text(section);
  for (std::size_t i = 0; i + 1 < text.size(); ++i)
    if (text[i] == '\n' && text[i + 1] != '\n' && text[i + 1] != '-' && (i == 0 || text[i - 1] != '\n')) text[i] = ' ';
  return text;
}

void print_paragraph(std::string_view label, std::string_view text) {
  fmt::print("{}\n", folded(fmt::format("{:<10}{}", label, text), 10, " ", prose_width()));
}

void print_clause(const Clause& clause, Level level_of_rule) {
  const bool is_decided_within = clause.level == Level::decided && level_of_rule == Level::stated;
  print_paragraph("clause", fmt::format("{}{}: {}", clause.id, is_decided_within ? ", decided" : "", clause.sentence));
  for (const DefectText& defect : all_defects())
    if (defect.clause == clause.id) print_paragraph("  defect", fmt::format("{}: {}", defect.id, defect.sentence));
}

void print_argument(std::string_view section) {
  if (section.empty()) return;
  print_paragraph("argument", "in model/RULES.md:");
  for (std::string text = unwrapped(section); !text.empty();) {
    const auto end = std::min(text.find('\n'), text.size());
    if (end > 0) fmt::print("\n{}\n", folded(text.substr(0, end), text[0] == '-' ? 2 : 0, " ", prose_width()));
    text.erase(0, end + 1);
  }
}

void print_in_full(const RuleText& rule, const std::string& program) {
  print_paragraph(rule.id,
                  fmt::format("{}: {}", rule.level == Level::stated ? "stated" : "decided", sentences_of(rule)));
  for (const Clause& clause : all_clauses())
    if (clause.rule == rule.rule) print_clause(clause, rule.level);
  for (const Property& property : all_properties())
    if (property.rules.contains(rule.rule)) print_paragraph("property", property.name);
  for (const auto& scenario : scenario_names())
    if (scenario.starts_with(fmt::format("{}-", rule.id)))
      fmt::print("{:<10}props/scenarios/{}\n", "scenario", scenario);
  fmt::print("{:<10}{} defects {}\n", "search", program, rule.id);
  print_argument(argument_for(rule));
}

/// Its first sentence, cut where the terminal ends.
void print_line(const RuleText& rule) {
  const std::string line = fmt::format("{}  {}  {}", rule.id, letter_of(rule.level), rule.sentence);
  const std::size_t width = std::max<std::size_t>(terminal_width(), 40);
  fmt::print("{}\n", line.size() <= width ? line : line.substr(0, line.rfind(' ', width - 3)) + "...");
}

std::vector<std::string> rule_ids() {
  std::vector<std::string> ids;
  for (const RuleText& rule : all_rules()) ids.emplace_back(rule.id);
  return ids;
}

/// The rule that an id names, or whose clause it names.
std::string rule_of(const std::string& id) {
  std::vector<std::string> known = rule_ids();
  for (const Clause& clause : all_clauses()) known.emplace_back(clause.id);
  const std::string found = known_word("rule", id, known, "mayfly rules lists them");
  return found.substr(0, found.find('.'));
}

Exit print_rules(const RulesOptions& options, const CommandLine& line) {
  std::vector<std::string> ids;
  for (const auto& id : options.ids) ids.push_back(rule_of(id));
  for (const auto& id : ids.empty() ? rule_ids() : ids) {
    const RuleText& rule = all_rules()[static_cast<std::size_t>(*rule_named(id))];
    if (options.quiet)
      fmt::print("{}\n", id);
    else if (ids.empty())
      print_line(rule);
    else
      print_in_full(rule, line.program());
  }
  return Exit::held;
}

}  // namespace

Command rules_command() {
  return command("rules", "The rules, one a line, or in full with all that checks them", declare, print_rules);
}

}  // namespace mayfly::app
