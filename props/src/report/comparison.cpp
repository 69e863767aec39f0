#include "mayfly/props/report/comparison.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "mayfly/props/report/page.hpp"
#include "mayfly/props/report/result_json.hpp"
#include "mayfly/props/report/text.hpp"

namespace mayfly {

namespace {

constexpr std::size_t longest_verdict = 13;
constexpr std::size_t longest_name = 24;
constexpr std::size_t least_room_for_sentence = 30;

using Results = std::vector<Result>;

const ReportedRule& of(const Result& result, Rule rule) { return result.rules[static_cast<std::size_t>(rule)]; }

RuleVerdict verdict(const Result& result, Rule rule) { return of(result, rule).verdict; }

std::size_t width_of(const Result& result) { return std::max(longest_verdict, result.store.size()); }

bool do_differ(const Results& results, Rule rule) {
  return std::any_of(results.begin(), results.end(),
                     [&](const Result& result) { return verdict(result, rule) != verdict(results.front(), rule); });
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string shortened_to(std::string_view text, std::size_t room) {
  return text.size() <= room ? std::string(text) : std::string(text.substr(0, room - 3)) + "...";
}

/// A row for each rule with a cell for each store, and the rules in full if there is room for them.
std::string matrix(const Results& results, const auto& head_of, const auto& cell_of, std::size_t room) {
  std::string head = fmt::format("{:<9}", "rule");
  for (std::size_t i = 0; i < results.size(); ++i) head += head_of(i);
  std::string text = trimmed(head);
  for (const auto& rule : all_rules()) {
    std::string row =
        fmt::format("{} {:<2}  {}  ", do_differ(results, rule.rule) ? "*" : " ", rule.id, letter_of(rule.level));
    for (std::size_t i = 0; i < results.size(); ++i) row += cell_of(i, verdict(results[i], rule.rule));
    if (room >= least_room_for_sentence) row += shortened_to(rule.sentence, room);
    text += trimmed(row);
  }
  return text;
}

std::string in_words(const Results& results, std::size_t room) {
  const auto padded = [&](std::size_t i, std::string_view text) {
    return fmt::format("{:<{}}", text, width_of(results[i]) + 2);
  };
  return matrix(
      results, [&](std::size_t i) { return padded(i, results[i].store); },
      [&](std::size_t i, RuleVerdict verdict) { return padded(i, name_of(verdict)); }, room);
}

/// Where words do not fit: a letter for each verdict, a number for each store.
std::string in_letters(const Results& results) {
  constexpr std::array<char, 6> sign_of{'+', 'F', 'd', 'u', '-', '?'};
  std::string text = "+ pass, F fail, d differs, u unattributed, - unsupported, ? not exercised\n";
  for (std::size_t i = 0; i < results.size(); ++i) text += fmt::format("{:>2} is {}\n", i + 1, results[i].store);
  return text + matrix(
                    results, [](std::size_t i) { return fmt::format("{:>3}", i + 1); },
                    [&](std::size_t, RuleVerdict verdict) {
                      return fmt::format("{:>3}", sign_of[static_cast<std::size_t>(verdict)]);
                    },
                    0);
}

bool is_judged(RuleVerdict verdict) { return verdict == RuleVerdict::pass || may_be_broken(verdict); }

/// Whether those stores that could be judged at all agree.
bool do_only_lack(const Results& results, Rule rule) {
  std::optional<RuleVerdict> first;
  for (const auto& result : results) {
    const RuleVerdict judged = verdict(result, rule);
    if (is_judged(judged) && first.value_or(judged) != judged) return false;
    if (is_judged(judged)) first = judged;
  }
  return true;
}

/// A line for each store that breaks the rule, or may.
std::string readings(const Results& results, const RuleText& rule) {
  std::string text;
  for (const auto& result : results) {
    const ReportedRule& judged = of(result, rule.rule);
    if (!may_be_broken(judged.verdict)) continue;
    const std::string_view verb = judged.verdict == RuleVerdict::fail ? "fails" : name_of(judged.verdict);
    const std::string& reading = judged.verdict == RuleVerdict::unattributed ? judged.why : judged.reading;
    const std::string known = reading.empty() ? "" : fmt::format(": {}", reading);
    text += folded(fmt::format("{}  {} {}{}", rule.id, result.store, verb, known), 4) + "\n";
  }
  return text;
}

/// The rules with different verdicts.
std::string differences(const Results& results) {
  std::string judged, lacking, text;
  for (const auto& rule : all_rules()) {
    if (!do_differ(results, rule.rule)) continue;
    const bool is_lack = do_only_lack(results, rule.rule);
    (is_lack ? lacking : judged) += fmt::format(" {}", rule.id);
    if (!is_lack) text += readings(results, rule);
  }
  if (judged.empty() && lacking.empty()) return fmt::format("\nthe same verdicts on all {} rules\n", rule_count);
  const auto line = [](std::string_view what, const std::string& ids) {
    return ids.empty() ? "" : folded(fmt::format("{}:{}", what, ids), 2) + "\n";
  };
  return "\n" + line("* judged differently", judged) + text + line("* judged only of some", lacking);
}

}  // namespace

std::vector<Result> read_comparison(const std::vector<std::string>& files) {
  Results results;
  for (const auto& file : files) results.push_back(read_result(file, "conform"));
  std::vector<std::string> names;
  for (const auto& result : results) {
    const auto same =
        std::count_if(results.begin(), results.end(), [&](const Result& other) { return other.store == result.store; });
    const std::string& file = files[names.size()];
    names.push_back(same == 1 ? result.store : std::filesystem::path(file).stem().string());
    if (names.back().size() > longest_name) names.back().resize(longest_name);
  }
  for (std::size_t i = 0; i < names.size(); ++i) results[i].store = std::move(names[i]);
  return results;
}

std::string comparison_text(const std::vector<Result>& results, std::size_t width) {
  std::size_t used = 9;  // by what comes before the columns
  for (const auto& result : results) used += width_of(result) + 2;
  return (used <= width ? in_words(results, width - used) : in_letters(results)) + differences(results);
}

std::string comparison_page(const std::vector<Result>& results) {
  const bool are_alike = std::none_of(all_rules().begin(), all_rules().end(),
                                      [&](const RuleText& rule) { return do_differ(results, rule.rule); });
  boost::json::array stores;
  for (const auto& result : results) stores.push_back(to_json(result));
  return html_page({{"title", "Conformance compared"},
                    {"verdict", are_alike ? "judged alike" : "judged differently"},
                    {"conformance", std::move(stores)}});
}

}  // namespace mayfly
