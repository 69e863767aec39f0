#include <set>

#include <doctest/doctest.h>

#include "failure_trace.hpp"
#include "mayfly/props/defects/defective_store.hpp"
#include "mayfly/props/property/check.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/rapidcheck.hpp"
#include "mayfly/props/shrink/minimise.hpp"
#include "mayfly/props/shrink/passes.hpp"
#include "shorthand.hpp"

namespace mayfly::test {

namespace {

constexpr int most_runs = 3'000;

/// The first failure among random cases, shrunk as RapidCheck does it.
std::optional<Failure> find(Defect defect, const Property& property) {
  auto subject = store_with(defect);
  const auto fails = [&](const Case& test_case) { return check(property, test_case, subject).has_value(); };
  const rc::Gen<Case> gen = cases();
  rc::Random random(2024);
  for (int run = 0; run < most_runs; ++run) {
    const rc::Shrinkable<Case> drawn = gen(random.split(), run % (rc::kNominalSize + 1));
    if (!fails(drawn.value())) continue;
    const Case smallest = rc::shrinkable::findLocalMin(drawn, fails).first;
    return Failure{&property, smallest, *check(property, smallest, subject)};
  }
  return std::nullopt;
}

const Property& property_named(std::string_view beginning) {
  for (const Property& property : all_properties())
    if (property.name.starts_with(beginning)) return property;
  FAIL("no property begins with ", beginning);
  return agrees_watched();
}

bool is_never_stopped() { return false; }

/// The failure of the first generated case that has one, from this seed on.
Failure first_failure(Subject& subject, std::uint64_t seed) {
  for (;; ++seed) {
    const Property& property = seed % 2 == 0 ? agrees_watched() : agrees_unwatched();
    const Case test_case = generate(seed, {.longest_case = 200});
    if (auto violation = check(property, test_case, subject)) return {&property, test_case, std::move(*violation)};
  }
}

}  // namespace

TEST_CASE("agreement catches a wrong answer and shrinks it to at most six operations") {
  for (const auto& failure :
       {find(Defect::expires_late, agrees_unwatched()), find(Defect::patch_keeps_ts, agrees_unwatched()),
        find(Defect::patch_keeps_ts, agrees_watched()), find(Defect::read_touches, agrees_unwatched()),
        find(Defect::partition_ignored, agrees_unwatched())}) {
    REQUIRE(failure);
    CAPTURE(trace_of(failure));
    CHECK(failure->test_case.steps.size() <= 6);
  }
}

TEST_CASE("each law catches the defect that it is meant for") {
  const auto catches = [](const std::optional<Failure>& failure) {
    REQUIRE(failure);
    CAPTURE(trace_of(failure));
    CHECK(failure->test_case.steps.size() <= 6);
  };
  catches(find(Defect::purge_charged_to_next_write, property_named("removing every purge")));
  catches(find(Defect::purge_charged_to_next_write, property_named("purging everything")));
  catches(find(Defect::read_touches, property_named("removing reads")));
  catches(find(Defect::ttl_charged, property_named("while TTL is off")));
  catches(find(Defect::ttl_charged, property_named("inheriting n")));
  catches(find(Defect::partition_ignored, property_named("a partition answers")));
  catches(find(Defect::purge_skips_inheriting, property_named("after enough purging")));
}

TEST_CASE("a failure of up to 200 operations shrinks within 500 runs, to the same few traces from every seed") {
  const auto traces_of = [](Defect defect) {
    auto subject = store_with(defect);
    std::set<std::string> traces;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const Minimised result = minimise(first_failure(subject, seed * 1'000), subject, is_never_stopped);
      CHECK(result.is_minimal);
      CHECK(result.runs <= 500);
      CHECK(check(*result.failure.property, result.failure.test_case, subject));
      traces.insert(trace_text(result.failure.test_case));
    }
    return traces.size();
  };
  for (const Defect defect : {Defect::ghosts_readable, Defect::patch_keeps_ts, Defect::partition_ignored}) {
    CAPTURE(text_of(defect).id);
    CHECK(traces_of(defect) == 1);
  }
  for (const Defect defect :
       {Defect::read_touches, Defect::expires_early, Defect::ghosts_in_queries, Defect::default_captured_at_write,
        Defect::wraps_at_31_bits, Defect::third_of_a_second_forgotten, Defect::default_reaches_other_collections}) {
    CAPTURE(text_of(defect).id);
    CHECK(traces_of(defect) <= 5);
  }
}

TEST_CASE("shrinking stops when the predicate returns true, with the best case so far") {
  auto subject = store_with(Defect::ghosts_readable);
  int left = 10;
  const Failure failure = first_failure(subject, 0);
  const Minimised result = minimise(failure, subject, [&] { return left-- <= 0; });
  CHECK_FALSE(result.is_minimal);
  CHECK(complexity(result.failure.test_case) < complexity(failure.test_case));
  CHECK(check(*result.failure.property, result.failure.test_case, subject));
}

TEST_CASE("a ttl shrinks together with the clock step that reaches it") {
  const Case linked{Instant{Seconds{0}},
                    {CreateCollection{{"c0", {.default_ttl = std::int64_t{-1}}}},
                     Create{{{"c0", "p0", "d0"}, {.ttl = std::int64_t{90'000}}}}, Advance{Seconds{90'000}},
                     Read{{{"c0", "p0", "d0"}}}}};
  auto subject = store_with(Defect::ghosts_readable);
  auto violation = check(agrees_unwatched(), linked, subject);
  REQUIRE(violation);
  const auto result = minimise({&agrees_unwatched(), linked, std::move(*violation)}, subject, is_never_stopped);
  const auto& steps = result.failure.test_case.steps;
  CHECK(std::get<CreateCollection>(steps[0].operation).definition.default_ttl ==
        TtlField{std::int64_t{1}});  // it inherits
  CHECK(std::get<Create>(steps[1].operation).content.ttl == TtlField{Absent{}});
  CHECK(std::get<Advance>(steps[2].operation).seconds == Seconds{1});
}

TEST_CASE("no change makes a case longer, and what is simpler by its complexity is another case") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Case test_case = generate(seed, {.longest_case = 20});
    for (const Pass pass : passes())
      for (const auto& change : pass(test_case)) {
        Case changed = test_case;
        change(changed);
        CHECK(changed.steps.size() <= test_case.steps.size());
        if (complexity(changed) < complexity(test_case)) CHECK(changed != test_case);
      }
  }
}

}  // namespace mayfly::test
