#include <algorithm>
#include <set>
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

TEST_CASE("every defect is caught from every seed, nine in ten of them within 3,000 operations in the median") {
  std::size_t quickly_caught = 0;
  for (const auto& defect : all_defects()) {
    CAPTURE(defect.id);
    auto subject = store_with(defect.defect);
    std::vector<std::uint64_t> operations;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const SearchResult searched = random_search(subject, seed, most_operations);
      CHECK(searched.failure);
      operations.push_back(searched.operations);
    }
    std::sort(operations.begin(), operations.end());
    if (operations[seeds / 2] <= 3'000) ++quickly_caught;
  }
  CHECK(quickly_caught * 10 >= all_defects().size() * 9);
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
