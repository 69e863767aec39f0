#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include <doctest/doctest.h>

#include "mayfly/model/clause.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/property/property.hpp"
#include "mayfly/props/property/scenarios.hpp"

// RULES.md, the properties and the scenarios list the same rules.

namespace mayfly::test {

namespace {

struct Row {
  std::string level;
  std::string text;
};

std::map<std::string, Row> rows_of_rules_md() {
  std::ifstream in(MAYFLY_SOURCE_DIR "/model/RULES.md");
  const std::regex row(R"(\| ([A-Z][0-9]+) \| ([SD]) \| (.*) \|)");
  std::map<std::string, Row> rows;
  std::smatch match;
  for (std::string line; std::getline(in, line);)
    if (std::regex_match(line, match, row)) CHECK(rows.emplace(match[1], Row{match[2], match[3]}).second);
  return rows;
}

std::string id_of_scenario(std::string_view name) { return std::string(name.substr(0, name.find('-'))); }

// The anchor of a heading in links: "The boundary (X1)" is "#the-boundary-x1".
std::string anchor_of(const std::string& heading) {
  std::string anchor = "#";
  for (const char c : heading)
    if (std::isalnum(static_cast<unsigned char>(c)))
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (c == ' ')
      anchor += '-';
  return anchor;
}

}  // namespace

TEST_CASE("RULES.md has one row for each rule, with its level and its sentence") {
  const auto rows = rows_of_rules_md();
  CHECK(rows.size() == rule_count);
  for (const auto& rule : all_rules()) {
    CAPTURE(rule.id);
    REQUIRE(rows.contains(std::string(rule.id)));
    const Row& row = rows.at(std::string(rule.id));
    CHECK(row.level == letter_of(rule.level));
    CHECK(row.text.starts_with(rule.sentence));
  }
}

TEST_CASE("RULES.md has each argument that a row points to, under the rule's id") {
  std::ifstream in(MAYFLY_SOURCE_DIR "/model/RULES.md");
  std::set<std::string> anchors, argued;
  std::vector<std::pair<std::string, std::string>> links;
  const std::regex row(R"(\| ([A-Z][0-9]+)[. ].*Argued \[below\]\((#[a-z0-9-]+)\).*)");
  std::smatch match;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) anchors.insert(anchor_of(line.substr(3)));
    if (std::regex_match(line, match, row)) links.emplace_back(match[1], match[2]);
  }
  for (const auto& link : links) {
    CAPTURE(link.first);
    CHECK(anchors.contains(link.second));
    CHECK(link.second.ends_with(anchor_of(link.first).substr(1)));
    argued.insert(link.first);
  }
  CHECK(argued == std::set<std::string>{"F3", "I3", "T3", "T4", "X1", "X4"});
}

TEST_CASE("RULES.md has the clauses of each rule right below it, each with a level and a sentence") {
  std::ifstream in(MAYFLY_SOURCE_DIR "/model/RULES.md");
  const std::regex rule_row(R"(\| ([A-Z][0-9]+) \| .*)");
  const std::regex any_clause(R"(\| [A-Z][0-9]+\..*)");
  const std::regex clause_row(R"(\| ([A-Z][0-9]+)(\.[a-z0-9-]+) \| ([SD]) \| ([A-Z0-9-].*\.) \|)");
  std::string above;
  std::smatch match;
  std::size_t count = 0;
  for (std::string line; std::getline(in, line);) {
    if (std::regex_match(line, match, rule_row)) above = match[1];
    if (!std::regex_match(line, any_clause)) continue;
    CAPTURE(line);
    REQUIRE(std::regex_match(line, match, clause_row));
    CHECK(match[1] == above);
    REQUIRE(count < all_clauses().size());
    const Clause& clause = all_clauses()[count++];
    CHECK(clause.id == match[1].str() + match[2].str());
    CHECK(clause.level == (match[3] == "S" ? Level::stated : Level::decided));
    CHECK(clause.sentence == match[4].str());
    CHECK(clause_named(clause.id) == &clause);
  }
  CHECK(count == all_clauses().size());
  CHECK(clause_named("X2.nonsense") == nullptr);
}

TEST_CASE("every rule has clauses, and is stated if one of them is") {
  for (const auto& rule : all_rules()) {
    CAPTURE(rule.id);
    std::size_t count = 0;
    Level level = Level::decided;
    for (const Clause& clause : all_clauses()) {
      if (clause.rule != rule.rule) continue;
      ++count;
      if (clause.level == Level::stated) level = Level::stated;
    }
    CHECK(count > 0);
    CHECK(level == rule.level);
  }
}

TEST_CASE("every rule is named by a property") {
  RuleSet named;
  for (const Property& property : all_properties()) named |= property.rules;
  for (const auto& rule : all_rules()) {
    CAPTURE(rule.id);
    CHECK(named.contains(rule.rule));
  }
}

TEST_CASE("every rule has a scenario, and every scenario a rule") {
  std::set<std::string> with_scenario;
  for (const auto name : scenario_names()) {
    CAPTURE(name);
    CHECK(rule_named(id_of_scenario(name)));
    with_scenario.insert(id_of_scenario(name));
  }
  CHECK(with_scenario.size() == rule_count);
}

TEST_CASE("the engine is independent of the model: it includes none of its logic") {
  std::size_t files = 0;
  for (const char* folder : {"/sim/include/mayfly/sim/engine", "/sim/src/engine"})
    for (const auto& file : std::filesystem::directory_iterator(MAYFLY_SOURCE_DIR + std::string(folder))) {
      CAPTURE(file.path().string());
      ++files;
      std::ifstream in(file.path());
      const std::string text{std::istreambuf_iterator<char>(in), {}};
      for (const char* header : {"model/expiry.hpp", "model/reference.hpp", "model/expectation.hpp"})
        CHECK(text.find(header) == std::string::npos);
    }
  CHECK(files >= 8);
}

TEST_CASE("rules are found by their ids") {
  for (const auto& rule : all_rules()) {
    CHECK(rule_named(rule.id) == rule.rule);
    CHECK(id_of(rule.rule) == rule.id);
  }
  CHECK_FALSE(rule_named("X9"));
  CHECK_FALSE(rule_named(""));
}

}  // namespace mayfly::test
