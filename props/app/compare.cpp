#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "conformance_file.hpp"
#include "mayfly/props/report/page.hpp"
#include "mayfly/props/report/text.hpp"
#include "output_file.hpp"
#include "terminal.hpp"

namespace mayfly::app {

namespace {

struct CompareOptions {
  std::vector<std::string> files;
  std::optional<std::string> html;
};

void declare(CommandLine& line, CompareOptions& options) {
  line.arguments("RESULT", options.files, "Files written by conform --json");
  line.require("RESULT");
  line.group(CommandLine::output_group);
  line.output_file("--html", options.html, "Write the result as a page for people as well");
}

constexpr std::size_t longest_verdict = 13;
constexpr std::size_t longest_name = 24;
constexpr std::size_t least_room_for_sentence = 30;

struct Column {
  std::string name;
  FiledConformance filed;

  RuleVerdict verdict(Rule rule) const { return filed.rules[static_cast<std::size_t>(rule)].verdict; }
  std::size_t width() const { return std::max(longest_verdict, name.size()); }
};

/// By what the stores call themselves, and by the files of those that have the same name.
std::vector<Column> read_columns(const std::vector<std::string>& files) {
  std::vector<Column> columns;
  for (const auto& file : files) columns.push_back({"", read_conformance(file)});
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string& store = columns[i].filed.store;
    const auto same =
        std::count_if(columns.begin(), columns.end(), [&](const Column& c) { return c.filed.store == store; });
    columns[i].name = same == 1 ? store : std::filesystem::path(files[i]).stem().string();
    if (columns[i].name.size() > longest_name) columns[i].name.resize(longest_name);
  }
  return columns;
}

bool do_differ(const std::vector<Column>& columns, Rule rule) {
  return std::any_of(columns.begin(), columns.end(),
                     [&](const Column& column) { return column.verdict(rule) != columns.front().verdict(rule); });
}

std::string_view mark(bool is_marked) { return is_marked ? "*" : " "; }

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// A matrix of words, with the rules in full if there is room for them.
class Words {
 public:
  Words(const std::vector<Column>& columns, std::size_t width) : columns_(columns) {
    for (const auto& column : columns) used_ += column.width() + 2;
    room_ = width > used_ ? width - used_ : 0;
    fits_ = used_ <= width;
  }

  bool fit() const { return fits_; }

  std::string text() const {
    std::string head = fmt::format("{:<9}", "rule");
    for (const auto& column : columns_) head += fmt::format("{:<{}}", column.name, column.width() + 2);
    std::string text = trimmed(head);
    for (const auto& rule : all_rules()) text += trimmed(row(rule));
    return text;
  }

 private:
  std::string row(const RuleText& rule) const {
    std::string line =
        fmt::format("{} {:<2}  {}  ", mark(do_differ(columns_, rule.rule)), rule.id, letter_of(rule.level));
    for (const auto& column : columns_)
      line += fmt::format("{:<{}}", name_of(column.verdict(rule.rule)), column.width() + 2);
    if (room_ >= least_room_for_sentence) line += shortened_to(rule.sentence, room_);
    return line;
  }

  static std::string shortened_to(std::string_view text, std::size_t room) {
    return text.size() <= room ? std::string(text) : std::string(text.substr(0, room - 3)) + "...";
  }

  const std::vector<Column>& columns_;
  std::size_t used_ = 9;  ///< by what comes before the columns
  std::size_t room_ = 0;
  bool fits_ = false;
};

/// The same where words do not fit: a letter for each verdict, a number for each store.
std::string letters(const std::vector<Column>& columns) {
  constexpr std::array<char, 6> sign_of{'+', 'F', 'd', 'u', '-', '?'};
  std::string text = "+ pass, F fail, d differs, u unattributed, - unsupported, ? not exercised\n";
  for (std::size_t i = 0; i < columns.size(); ++i) text += fmt::format("{:>2} is {}\n", i + 1, columns[i].name);
  std::string head = fmt::format("{:<9}", "rule");
  for (std::size_t i = 0; i < columns.size(); ++i) head += fmt::format("{:>3}", i + 1);
  text += head + "\n";
  for (const auto& rule : all_rules()) {
    text += fmt::format("{} {:<2}  {}  ", mark(do_differ(columns, rule.rule)), rule.id, letter_of(rule.level));
    for (const auto& column : columns)
      text += fmt::format("{:>3}", sign_of[static_cast<std::size_t>(column.verdict(rule.rule))]);
    text += "\n";
  }
  return text;
}

bool is_judged(RuleVerdict verdict) { return verdict == RuleVerdict::pass || may_be_broken(verdict); }

/// Whether those stores that could be judged at all agree.
bool do_only_lack(const std::vector<Column>& columns, Rule rule) {
  std::optional<RuleVerdict> first;
  for (const auto& column : columns) {
    const RuleVerdict verdict = column.verdict(rule);
    if (is_judged(verdict) && first.value_or(verdict) != verdict) return false;
    if (is_judged(verdict)) first = verdict;
  }
  return true;
}

/// What is known of the stores that break the rule, or may.
std::string readings(const std::vector<Column>& columns, const RuleText& rule) {
  std::string text;
  for (const auto& column : columns) {
    const auto& [verdict, reading] = column.filed.rules[static_cast<std::size_t>(rule.rule)];
    if (!may_be_broken(verdict)) continue;
    const std::string_view verb = verdict == RuleVerdict::fail ? "fails" : name_of(verdict);
    const std::string known = reading.empty() ? "" : fmt::format(": {}", reading);
    text += folded(fmt::format("{}  {} {}{}", rule.id, column.name, verb, known), 4) + "\n";
  }
  return text;
}

/// Which rules the stores do not treat alike.
std::string differences(const std::vector<Column>& columns) {
  std::string judged, lacking, text;
  for (const auto& rule : all_rules()) {
    if (!do_differ(columns, rule.rule)) continue;
    const bool is_lack = do_only_lack(columns, rule.rule);
    (is_lack ? lacking : judged) += fmt::format(" {}", rule.id);
    if (!is_lack) text += readings(columns, rule);
  }
  if (judged.empty() && lacking.empty()) return fmt::format("\nthe same verdicts on all {} rules\n", rule_count);
  const auto line = [](std::string_view what, const std::string& ids) {
    return ids.empty() ? "" : folded(fmt::format("{}:{}", what, ids), 2) + "\n";
  };
  return "\n" + line("* judged differently", judged) + text + line("* judged only of some", lacking);
}

Exit compare(const CompareOptions& options, const CommandLine&) {
  const auto columns = read_columns(options.files);
  const Words words(columns, terminal_width());
  fmt::print("{}{}", words.fit() ? words.text() : letters(columns), differences(columns));
  if (!options.html) return Exit::held;
  const bool are_alike = std::none_of(all_rules().begin(), all_rules().end(),
                                      [&](const RuleText& rule) { return do_differ(columns, rule.rule); });
  boost::json::array stores;
  for (const auto& column : columns) {
    stores.push_back(column.filed.json);
    stores.back().as_object()["store"] = column.name;  // by which they can be told apart
  }
  write_whole(*options.html, html_page({{"title", "Conformance compared"},
                                        {"verdict", are_alike ? "judged alike" : "judged differently"},
                                        {"conformance", std::move(stores)}}));
  return Exit::held;
}

}  // namespace

Command compare_command() {
  return command("compare", "Puts the conformance of several stores side by side", declare, compare);
}

}  // namespace mayfly::app
