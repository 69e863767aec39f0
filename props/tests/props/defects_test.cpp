#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "failure_trace.hpp"
#include "mayfly/model/clause.hpp"
#include "mayfly/props/defects/catalogue.hpp"
#include "mayfly/props/defects/defective_store.hpp"
#include "mayfly/props/property/scenarios.hpp"
#include "mayfly/props/run/random_search.hpp"
#include "shorthand.hpp"

namespace mayfly::test {

namespace {

// `mayfly defects` searches from 20 seeds, which takes longer.
constexpr std::uint64_t seeds = stride == 1 ? 5 : 1;
constexpr std::uint64_t most_operations = 200'000;
constexpr std::uint64_t most_elsewhere = 10'000 / stride;  // in each world that is not its own

// What `mayfly check` runs of a world in two seconds on two idle cores: about 20,000 cases of all worlds together.
const std::map<std::string_view, std::uint64_t> operations_in_two_seconds{
    {"crowd", 90'000}, {"names", 100'000}, {"values", 80'000}, {"long", 180'000}, {"rollover", 170'000}};

// The long tier asks for 20.
std::uint64_t seeds_of_worlds() {
  const char* wanted = std::getenv("MAYFLY_SEEDS");
  return wanted ? std::stoull(wanted) : seeds;
}

World world_of(const DefectText& defect) { return defect.world.empty() ? World{} : *world_named(defect.world); }

/// A class of reported bugs, in props/REPORTED.md.
struct ReportedClass {
  std::string name;
  int reports = 0;
  std::set<std::string> defects;
  std::string out_of_reach;
};

std::vector<ReportedClass> reported_classes() {
  std::ifstream in(MAYFLY_SOURCE_DIR "/props/REPORTED.md");
  const std::regex row(R"(\| ([a-z -]+) \| ([0-9]+) \| (.*)\| (.*)\|)"), id("`([^`]+)`");
  std::vector<ReportedClass> classes;
  std::smatch match;
  for (std::string line; std::getline(in, line);) {
    if (!std::regex_match(line, match, row)) continue;
    classes.push_back({match[1], std::stoi(match[2]), {}, match[4]});
    const std::string ids = match[3];
    for (std::sregex_iterator it(ids.begin(), ids.end(), id), end; it != end; ++it)
      classes.back().defects.insert((*it)[1]);
  }
  return classes;
}

}  // namespace

TEST_CASE("every defect has an id of its own, a sentence, and an observable clause") {
  std::set<std::string_view> ids;
  for (const auto& defect : all_defects()) {
    CAPTURE(defect.id);
    const Clause* clause = clause_named(defect.clause);
    REQUIRE_MESSAGE(clause, defect.clause);
    CHECK(clause->is_observable);
    CHECK(defect.rule() == clause->rule);
    CHECK(defect.level() == clause->level);
    CHECK(defect.id.size() + defect.clause.size() <= 43);  // so that they stand side by side on a terminal
    CHECK(ids.insert(defect.id).second);
    CHECK(defect_named(defect.id) == &defect);
    CHECK(&text_of(defect.defect) == &defect);
    CHECK_FALSE(defect.sentence.empty());
  }
  CHECK(defect_named("none") == nullptr);
}

TEST_CASE("every observable clause has a planted defect") {
  std::set<std::string_view> broken;
  for (const auto& defect : all_defects()) broken.insert(defect.clause);
  for (const Clause& clause : all_clauses()) {
    CAPTURE(clause.id);
    CHECK(broken.contains(clause.id) == clause.is_observable);
  }
}

TEST_CASE("REPORTED.md has every defect that re-enacts a reported bug under one class, and why a class has none") {
  std::multiset<std::string> listed;
  int reports = 0;
  for (const ReportedClass& some : reported_classes()) {
    CAPTURE(some.name);
    reports += some.reports;
    CHECK((!some.defects.empty() || !some.out_of_reach.empty()));
    listed.insert(some.defects.begin(), some.defects.end());
  }
  CHECK(reports == 200);  // so no class is missing
  std::multiset<std::string> planted;
  std::set<std::string_view> references;
  for (const auto& defect : all_defects()) {
    if (defect.reference.empty()) continue;
    CAPTURE(defect.id);
    planted.emplace(defect.id);
    CHECK(references.insert(defect.reference).second);
    CHECK(std::regex_match(std::string(defect.reference), std::regex("[A-Za-z0-9.-]+/[A-Za-z0-9._-]+#[0-9]+")));
  }
  CHECK(listed == planted);
}

TEST_CASE("without a defect, a random search finds nothing in the store that has the defects") {
  auto clean = store_with(Defect::none);
  CHECK(trace_of(random_search(clean, 1, 50'000).failure) == "");
}

TEST_CASE("without a defect, that store meets every scenario") {
  auto clean = store_with(Defect::none);
  for (const auto& scenario : all_scenarios()) {
    CAPTURE(scenario.name);
    CHECK(is_met_by(scenario, clean));
  }
}

TEST_CASE("every world but small has five defects that show in no other") {
  std::map<std::string_view, std::size_t> defects;
  for (const auto& defect : all_defects()) {
    if (defect.world.empty()) continue;
    CAPTURE(defect.id);
    ++defects[defect.world];
    REQUIRE(world_named(defect.world));
    auto subject = store_with(defect.defect);
    for (const World& other : all_worlds) {
      CAPTURE(other.name);
      if (other.name != defect.world) CHECK_FALSE(random_search(subject, 1, most_elsewhere, other).failure);
    }
  }
  for (const World& world : all_worlds) {
    CAPTURE(world.name);
    if (world.name != "small") CHECK(defects[world.name] >= 5);
  }
}

TEST_CASE("a defect that only one world shows is caught in what two seconds of all worlds have of it") {
  for (const auto& defect : all_defects()) {
    if (defect.world.empty()) continue;
    CAPTURE(defect.id);
    auto subject = store_with(defect.defect);
    for (std::uint64_t seed = 1; seed <= seeds_of_worlds(); ++seed)
      CHECK(random_search(subject, seed, operations_in_two_seconds.at(defect.world), world_of(defect)).failure);
  }
}

TEST_CASE("every defect of no world in particular is caught from every seed, nine in ten within 3,000 operations") {
  std::size_t slowly_caught = 0, count = 0;
  for (const auto& defect : all_defects()) {
    if (!defect.world.empty()) continue;
    CAPTURE(defect.id);
    auto subject = store_with(defect.defect);
    std::vector<std::uint64_t> operations;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const SearchResult searched = random_search(subject, seed, most_operations);
      CHECK(searched.failure);
      operations.push_back(searched.operations);
    }
    std::sort(operations.begin(), operations.end());
    slowly_caught += operations[seeds / 2] > 3'000 ? 1 : 0;
    ++count;
  }
  CHECK((seeds == 1 || slowly_caught * 10 <= count));  // of one seed there is no median
}

TEST_CASE("a canary is one of the hard defects, another for every seed, and caught in time") {
  CHECK(hard_defects().size() >= 20);
  std::set<Defect> canaries;
  for (std::uint64_t seed = 0; seed < 400; ++seed) canaries.insert(canary_of(seed));
  CHECK(canaries.size() == hard_defects().size());
  // A twentieth of the budget is enough half of the time: then the whole of it fails once in 2^20 times.
  for (const Defect defect : hard_defects()) {
    CAPTURE(text_of(defect).id);
    auto subject = store_with(defect);
    int in_time = 0;
    for (std::uint64_t seed = 0; seed < 21; ++seed)
      in_time += random_search(subject, seed, most_operations_of_canary / 20).failure.has_value();
    CHECK(in_time >= 10);
  }
}

TEST_CASE("the same seed searches the same cases") {
  auto subject = store_with(Defect::stale_timer);
  const SearchResult first = random_search(subject, 7, most_operations);
  const SearchResult second = random_search(subject, 7, most_operations);
  REQUIRE(first.failure);
  REQUIRE(second.failure);
  CHECK(first.operations == second.operations);
  CHECK(trace_of(first.failure) == trace_of(second.failure));
}

}  // namespace mayfly::test
