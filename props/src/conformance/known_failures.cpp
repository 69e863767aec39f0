#include "mayfly/props/conformance/known_failures.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mayfly/model/rule.hpp"
#include "mayfly/sim/input_error.hpp"

namespace mayfly {

namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

const RuleResult& result_of(const Conformance& result, Rule rule) {
  return result.rules[static_cast<std::size_t>(rule)];
}

/// The reason in a new line: the known defect, or that none is known.
std::string reason_for(const Conformance& result, const RuleResult& rule) {
  for (const std::size_t place : rule.findings)
    if (const auto* known = result.findings[place].known; known && result.findings[place].is_exact)
      return std::string(known->sentence);
  if (rule.verdict == RuleVerdict::unattributed) return fmt::format("unattributed: {}", rule.why);
  return fmt::format("{}: no known defect does just this", name_of(rule.verdict));
}

}  // namespace

KnownFailures::KnownFailures(std::istream& in, std::string name) : name_(std::move(name)) {
  for (std::string text; std::getline(in, text);) {
    const std::string_view said = trimmed(text);
    const bool is_for_people = said.empty() || said.starts_with('#');
    const auto id = is_for_people ? "" : said.substr(0, said.find_first_of(blanks));
    const auto reason = trimmed(said.substr(id.size()));
    lines_.push_back({text, std::string(id), is_for_people ? "" : std::string(reason)});
    if (!is_for_people && reason.empty())
      throw InputError(fmt::format("{} {} needs a reason, in the same line", place(lines_.size() - 1), id));
  }
}

std::string KnownFailures::place(std::size_t line) const { return fmt::format("{}:{}:", name_, line + 1); }

std::optional<std::string> KnownFailures::reason(Rule rule) const {
  const auto found =
      std::find_if(lines_.begin(), lines_.end(), [&](const Line& line) { return line.id == id_of(rule); });
  return found == lines_.end() ? std::nullopt : std::optional(found->reason);
}

bool KnownFailures::expects(RuleSet rules) const {
  return std::any_of(all_rules().begin(), all_rules().end(),
                     [&](const RuleText& text) { return rules.contains(text.rule) && reason(text.rule); });
}

std::string KnownFailures::complaint(std::size_t line, const Conformance& result) const {
  const std::string& id = lines_[line].id;
  if (id.empty()) return {};
  const auto rule = rule_named(id);
  if (!rule) return fmt::format("{} there is no rule {}", place(line), id);
  for (std::size_t earlier = 0; earlier < line; ++earlier)
    if (lines_[earlier].id == id)
      return fmt::format("{} {} is listed twice, first in line {}", place(line), id, earlier + 1);
  const RuleVerdict verdict = result_of(result, *rule).verdict;
  if (may_be_broken(verdict) || result.was_stopped) return {};
  return fmt::format("{} {} is listed as a known failure, but it {}", place(line), id,
                     verdict == RuleVerdict::pass ? "passes" : fmt::format("is {}", name_of(verdict)));
}

std::vector<KnownFailures::Mismatch> KnownFailures::mismatches(const Conformance& result) const {
  std::vector<Mismatch> all;
  for (const auto& rule : result.rules)
    if (is_broken(rule.verdict) && !reason(rule.rule))
      all.push_back(
          {rule.rule, fmt::format("{} is not known to be broken: {}", id_of(rule.rule), name_of(rule.verdict))});
  for (const auto& finding : result.findings)
    if (!finding.candidates.empty() && !expects(finding.candidates))
      all.push_back({std::nullopt,
                     fmt::format("one of {} is broken, and none of them is known to be", ids_of(finding.candidates))});
  for (std::size_t line = 0; line < lines_.size(); ++line)
    if (auto text = complaint(line, result); !text.empty())
      all.push_back({rule_named(lines_[line].id), std::move(text)});
  return all;
}

std::string KnownFailures::updated(const Conformance& result) const {
  std::string text;
  for (std::size_t line = 0; line < lines_.size(); ++line)
    if (complaint(line, result).empty()) text += lines_[line].text + "\n";
  RuleSet missing;
  for (const auto& finding : result.findings)
    if (!expects(finding.candidates)) missing |= finding.candidates;
  for (const auto& rule : result.rules)
    if ((is_broken(rule.verdict) || missing.contains(rule.rule)) && !reason(rule.rule))
      text += fmt::format("{} {}\n", id_of(rule.rule), reason_for(result, rule));
  return text;
}

}  // namespace mayfly
