#include "mayfly/props/report/result_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mayfly/props/report/annotation.hpp"
#include "mayfly/props/report/result_json.hpp"
#include "mayfly/props/report/text.hpp"

namespace mayfly {

namespace {

/// What a campaign exercised, as two tables.
std::string exercised(const Tally& tally) {
  std::string text = fmt::format("{:<18}{:>12}  answers\n", "operation", "times");
  for (std::size_t kind = 0; kind < Tally::kind_count; ++kind) {
    std::string line = fmt::format("{:<18}{:>12}", keywords[kind], with_commas(tally.operations(kind)));
    for (std::size_t i = 0; i < Tally::statuses.size(); ++i)
      if (tally.answers(kind, i) > 0)
        line += fmt::format("  {} x {}", status_name(Tally::statuses[i]), with_commas(tally.answers(kind, i)));
    text += folded(line, 32, "  ") + "\n";
  }
  text += "\ntimes that each rule was exercised\n";
  constexpr std::size_t columns = 5;
  for (std::size_t i = 0; i < rule_count; ++i) {
    const Rule rule = all_rules()[i].rule;
    text += fmt::format("{} {:>10}{}", id_of(rule), with_commas(tally.decisive(rule)),
                        i % columns == columns - 1 || i + 1 == rule_count ? "\n" : "   ");
  }
  return text + "\n";
}

constexpr std::size_t table_indent = 30;

std::string remark(const std::string& kind, const std::string& text) {
  return text.empty() ? "" : folded(fmt::format("{:{}}{}{}", "", table_indent, kind, text), table_indent + 2) + "\n";
}

std::string table_row(const ReportedRule& rule) {
  const RuleText& text = all_rules()[static_cast<std::size_t>(rule.rule)];
  const std::string line = fmt::format("{} {}  {:<13}  {:>7}  {}", text.id, letter_of(text.level),
                                       name_of(rule.verdict), with_commas(rule.checks), text.sentence);
  return folded(line, table_indent) + "\n" + remark("reading: ", rule.reading) + remark("", rule.why) +
         remark("", rule.remark) + remark("expected: ", rule.reason.value_or(""));
}

/// Every rule with its verdict, or only those that may be broken or were not exercised.
std::string verdict_table(const Result& result, bool only_notable) {
  std::string text;
  for (const auto& rule : result.rules)
    if (!only_notable || may_be_broken(rule.verdict) || rule.verdict == RuleVerdict::not_exercised)
      text += table_row(rule);
  return text.empty() ? "" : fmt::format("rule  {:<13}  {:>7}\n{}\n", "verdict", "checks", text);
}

std::string tables(const Result& result, bool only_notable) {
  if (!result.campaign) return verdict_table(result, only_notable);
  return only_notable || result.cases == 0 ? "" : exercised(result.campaign->tally);
}

/// The line of the saved trace at which the finding shows: a trace ends there.
SourcePlace last_line_of(const ReportedFinding& finding) {
  const auto lines = std::count(finding.trace.begin(), finding.trace.end(), '\n');
  return {finding.file, finding.file.empty() ? 0 : static_cast<std::size_t>(lines)};
}

}  // namespace

std::string finding_text(const Result& result, const ReportedFinding& finding) {
  std::string text = finding.intro + finding.text + "\n";
  if (finding.times > 1) text += fmt::format("found {} times\n", with_commas(finding.times));
  if (!finding.file.empty())
    text += fmt::format("saved as {}; replay it with: {}\n", finding.file, replay_command(result, finding.file));
  return text + "\n";
}

std::string result_text(const Result& result, bool only_notable) {
  std::string text = tables(result, only_notable);
  for (const auto& finding : result.findings) text += finding_text(result, finding);
  text += folded(fmt::format("{}: {}", result.headline, result.summary), 2) + "\n";
  for (const auto& note : result.notes) text += folded(note, 2) + "\n";
  return text;
}

std::string annotations_of(const Result& result) {
  std::string text;
  for (const auto& finding : result.findings)
    if (finding.is_red)
      text += annotation_if_wanted(gist_of(finding), finding.headline + "\n\n" + finding.text, last_line_of(finding));
  for (const auto& mismatch : result.mismatches) {
    const bool is_shown = mismatch.rule && !result.rules[static_cast<std::size_t>(*mismatch.rule)].findings.empty();
    if (!is_shown) text += annotation_if_wanted("not as expected", mismatch.text);
  }
  for (const auto& doubt : result.doubts)
    text += annotation_if_wanted(fmt::format("mayfly {}: inconclusive", result.command), doubt);
  return text;
}

}  // namespace mayfly
