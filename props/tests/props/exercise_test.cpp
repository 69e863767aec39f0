#include "mayfly/props/property/exercise.hpp"

#include <set>

#include <doctest/doctest.h>

#include "mayfly/props/property/agreement.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/run/random_search.hpp"
#include "mayfly/sim/digest.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "mayfly/sim/random.hpp"
#include "shorthand.hpp"

namespace mayfly::test {

namespace {

CreateCollection with_default(TtlField default_ttl) { return {{"c0", {.default_ttl = std::move(default_ttl)}}}; }
ReplaceCollection to_default(TtlField default_ttl) { return {{"c0", {.default_ttl = std::move(default_ttl)}}}; }

/// The tally of a correct store in the case.
Tally tally_of(const std::vector<Step>& steps, Watch watch = Watch::nothing) {
  InProcess<Engine> engine("engine");
  Tally tally;
  CHECK(!check_agreement({Instant{Seconds{100}}, steps}, engine, watch, &tally));
  return tally;
}

}  // namespace

TEST_CASE("a rule that only two runs can show is not exercised by one") {
  const Tally tally = tally_of({with_default(5), Create{{d0, {.ttl = std::int64_t{1}}}}, Advance{Seconds{1}},
                                Purge{{10}}, Read{{d0}}, Query{{"c0", {}}}},
                               Watch::everything);
  for (const Rule rule : {Rule::P1, Rule::R1, Rule::R2}) CHECK(tally.decisive(rule) == 0);
  CHECK(tally.decisive(Rule::P2) == 1);
}

TEST_CASE("the effect of an operation on a document is exercised once the document is seen again") {
  const std::vector<Step> purge{with_default(5), Create{{d0, {}}}, Purge{{10}}};
  const std::vector<Step> conflict{with_default(5), Create{{d0, {}}}, Create{{d0, {}}}};
  const std::vector<Step> change{with_default(5), Create{{d0, {}}}, to_default(9)};
  for (const auto& entry : {std::pair{purge, Rule::P4}, std::pair{conflict, Rule::W2}, std::pair{change, Rule::W5}}) {
    const auto& steps = entry.first;
    const Rule rule = entry.second;
    CAPTURE(id_of(rule));
    CHECK(tally_of(steps).decisive(rule) == 0);
    CHECK(tally_of(steps, Watch::everything).decisive(rule) == 1);
    std::vector<Step> seen = steps;
    seen.push_back(Read{{d0}});
    CHECK(tally_of(seen).decisive(rule) == 1);
    seen.insert(seen.end() - 1, Upsert{{d0, {}}});  // whatever was there is gone
    CHECK(tally_of(seen).decisive(rule) == (rule == Rule::W2 ? 0 : 1));
  }
}

TEST_CASE("P5: the documents held show whether purging deletes, once a purge had enough budget") {
  const auto held_after = [](Budget budget) {
    return tally_of({with_default(1), Create{{d0, {}}}, Create{{{"c0", "p0", "d1"}, {}}}, Advance{Seconds{1}},
                     Purge{budget}, Held{}});
  };
  CHECK(held_after({1}).decisive(Rule::P5) == 0);
  CHECK(held_after({2}).decisive(Rule::P5) == 1);
}

TEST_CASE("P3: only a purge while TTL is off everywhere must answer that nothing was deleted") {
  const std::vector<Step> off{with_default(1), Create{{d0, {}}}, Advance{Seconds{1}}, to_default(Absent{}),
                              Purge{{10}}};
  CHECK(tally_of(off).decisive(Rule::P3) == 1);
  std::vector<Step> one_is_on = off;
  one_is_on.insert(one_is_on.end() - 1, CreateCollection{{"c1", {.default_ttl = std::int64_t{5}}}});
  CHECK(tally_of(one_is_on).decisive(Rule::P3) == 0);
}

TEST_CASE("T6: a document whose parts were written at different seconds shows whether it expires as a whole") {
  std::vector<Step> patched{with_default(5),     Create{{d0, {}}},
                            Advance{Seconds{3}}, PatchDocument{d0, {.value = "v"}},
                            Advance{Seconds{2}}, Read{{d0}}};
  CHECK(tally_of(patched).decisive(Rule::T6) == 1);
  patched[3] = Upsert{{d0, {}}};
  CHECK(tally_of(patched).decisive(Rule::T6) == 0);
}

TEST_CASE("every rule is exercised by random cases") {
  InProcess<Engine> engine("engine");
  RandomSearch search(1, {}, engine);
  Tally tally;
  for (std::uint64_t number = 0; number < 2'000; ++number) CHECK(!search.check_case(number, &tally));
  for (const auto& rule : all_rules()) {
    CAPTURE(rule.id);
    CHECK(tally.decisive(rule.rule) >= 10);
  }
}

TEST_CASE("neighbouring cases share no random draws") {
  for (std::uint64_t number = 0; number < 100; ++number) {
    std::set<std::uint64_t> draws;
    for (std::uint64_t neighbour = 0; neighbour < 4; ++neighbour) {
      Random random(7, number + neighbour);
      for (int i = 0; i < 50; ++i) CHECK(draws.insert(random.next()).second);
    }
  }
}

TEST_CASE("whether a case is checked on a law is independent of whether the next one is observed") {
  InProcess<Engine> engine("engine");
  const RandomSearch search(7, {}, engine);
  std::uint64_t with_law = 0, then_watched = 0;
  for (std::uint64_t number = 0; number < 4'000; ++number) {
    if (search.tasks_of(number).size() < 2) continue;
    ++with_law;
    if (search.tasks_of(number + 1).front().property == &agrees_watched()) ++then_watched;
  }
  CHECK(with_law > 800);
  CHECK(then_watched > with_law * 2 / 5);
  CHECK(then_watched < with_law * 3 / 5);
}

TEST_CASE("a digest depends on every request and answer, and not on the order of an answer's documents") {
  const auto digest_of = [](const auto&... parts) {
    Digest digest;
    (digest.add(parts), ...);
    return digest.value();
  };
  const Operation query = Query{{"c0", {}}};
  const Document a{"p0", "d0", "v1", Instant{Seconds{5}}, Inherit{}}, b{"p0", "d1", "v1", Instant{Seconds{5}}, Never{}};
  const Outcome both{.documents = std::vector{a, b}};
  CHECK(digest_of(query, both) == digest_of(query, Outcome{.documents = std::vector{b, a}}));
  std::set<std::uint64_t> different{
      digest_of(query, both),
      digest_of(Operation{Query{{"c0", "p0"}}}, both),
      digest_of(Operation{Query{{"c1", {}}}}, both),
      digest_of(query, Outcome{.documents = std::vector{a}}),
      digest_of(query, Outcome{.documents = std::vector{a, a}}),
      digest_of(query, Outcome{.documents = std::vector<Document>{}}),
      digest_of(query, Outcome{}),
      digest_of(query, Outcome{.charge = Charge{1}}),
      digest_of(query, Outcome{.status = Status::not_found}),
      digest_of(query, both, query, both),
  };
  CHECK(different.size() == 10);
}

}  // namespace mayfly::test
