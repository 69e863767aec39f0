#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include <doctest/doctest.h>

#include "mayfly/model/rule.hpp"
#include "mayfly/props/property.hpp"
#include "mayfly/props/scenarios.hpp"

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

// As a link to a heading is written: "The boundary (X1)" is "#the-boundary-x1".
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
    CHECK(row.level == (rule.level == Level::stated ? "S" : "D"));
    CHECK(row.text.starts_with(rule.sentence));
  }
}

TEST_CASE("what RULES.md says is argued below is argued there, under its rule's id") {
  std::ifstream in(MAYFLY_SOURCE_DIR "/model/RULES.md");
  std::set<std::string> anchors;
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("## ")) anchors.insert(anchor_of(line.substr(3)));
  std::set<std::string> argued;
  const std::regex link(R"(Argued \[below\]\((#[a-z0-9-]+)\))");
  std::smatch match;
  for (const auto& entry : rows_of_rules_md()) {
    const std::string& id = entry.first;
    if (!std::regex_search(entry.second.text, match, link)) continue;
    CAPTURE(id);
    CHECK(anchors.contains(match[1]));
    CHECK(match[1].str().ends_with(anchor_of(id).substr(1)));
    argued.insert(id);
  }
  CHECK(argued == std::set<std::string>{"F3", "I3", "T3", "T4", "X1", "X4"});
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

TEST_CASE("the engine reads the rules for itself: it includes none of the model's logic") {
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
