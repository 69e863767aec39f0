#include "mayfly/props/shrink.hpp"

#include <set>

#include <doctest/doctest.h>

#include "check_property.hpp"
#include "defective.hpp"
#include "mayfly/props/defective_store.hpp"
#include "mayfly/sim/trace.hpp"

namespace mayfly::test {

namespace {

constexpr int runs = 3'000;

template <Store S>
std::optional<Failure> find_in(const Property& property) {
  InProcess<S> subject("defective");
  return find_failure(property, subject, runs);
}

const Property& property_named(std::string_view beginning) {
  for (const Property& property : all_properties())
    if (property.name.starts_with(beginning)) return property;
  FAIL("no property begins with ", beginning);
  return agrees_watched();
}

bool never() { return false; }

/// The failure of the first generated case that has one, from this seed on.
Failure first_failure(Subject& subject, std::uint64_t seed) {
  for (;; ++seed) {
    const Property& property = seed % 2 == 0 ? agrees_watched() : agrees_unwatched();
    const Case test_case = generate(seed, {.longest_case = 200});
    if (auto violation = property.check(test_case, subject)) return {&property, test_case, std::move(*violation)};
  }
}

}  // namespace

TEST_CASE("agreement catches a wrong answer and shrinks it to at most six operations") {
  for (const auto& failure : {find_in<ReadsLate>(agrees_unwatched()), find_in<PatchKeepsTs>(agrees_unwatched()),
                              find_in<PatchKeepsTs>(agrees_watched()), find_in<ReadTouches>(agrees_unwatched()),
                              find_in<IgnoresPartition>(agrees_unwatched())}) {
    REQUIRE(failure);
    CAPTURE(trace_of(failure));
    CHECK(failure->test_case.operations.size() <= 6);
  }
}

TEST_CASE("each law catches the defect that it is there for") {
  const auto catches = [](const std::optional<Failure>& failure) {
    REQUIRE(failure);
    CAPTURE(trace_of(failure));
    CHECK(failure->test_case.operations.size() <= 6);
  };
  catches(find_in<ChargesForPurging>(property_named("removing every purge")));
  catches(find_in<ChargesForPurging>(property_named("purging everything")));
  catches(find_in<ReadTouches>(property_named("removing what only looks")));
  catches(find_in<ChargesForTtl>(property_named("while TTL is off")));
  catches(find_in<ChargesForTtl>(property_named("inheriting n")));
  catches(find_in<IgnoresPartition>(property_named("a partition answers")));
  catches(find_in<NeverPurges>(property_named("after enough purging")));
}

TEST_CASE("a failure of up to 200 operations shrinks within 500 runs, to the same few traces from every seed") {
  const auto traces_of = [](Subject&& subject) {
    std::set<std::string> traces;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const Minimised result = minimise(first_failure(subject, seed * 1'000), subject, never);
      CHECK(result.is_minimal);
      CHECK(result.runs <= 500);
      CHECK(result.failure.property->check(result.failure.test_case, subject));
      traces.insert(trace_text(result.failure.test_case));
    }
    return traces.size();
  };
  CHECK(traces_of(InProcess<ReadsLate>("defective")) == 1);
  CHECK(traces_of(InProcess<PatchKeepsTs>("defective")) == 1);
  CHECK(traces_of(InProcess<ReadTouches>("defective")) <= 3);
  CHECK(traces_of(InProcess<IgnoresPartition>("defective")) == 1);
  for (const char* id : {"expires-early", "ghosts-in-queries", "default-captured-at-write", "wraps-at-31-bits",
                         "third-of-a-second-forgotten", "default-reaches-other-collections"}) {
    CAPTURE(id);
    const DefectText* defect = defect_named(id);
    REQUIRE(defect);
    CHECK(traces_of(InProcess<DefectiveStore>(id, Audit::never, DefectiveStore(defect->defect))) <= 5);
  }
}

TEST_CASE("shrinking stops when it is told to, with the best so far") {
  InProcess<ReadsLate> subject("defective");
  int left = 10;
  const Failure failure = first_failure(subject, 0);
  const Minimised result = minimise(failure, subject, [&] { return left-- <= 0; });
  CHECK_FALSE(result.is_minimal);
  CHECK(complexity(result.failure.test_case) < complexity(failure.test_case));
  CHECK(result.failure.property->check(result.failure.test_case, subject));
}

TEST_CASE("a ttl shrinks together with the clock step that reaches it") {
  const Case linked{Instant{Seconds{0}},
                    {CreateCollection{{"c0", {.default_ttl = std::int64_t{-1}}}},
                     Create{{{"c0", "p0", "d0"}, {.ttl = std::int64_t{90'000}}}}, Advance{Seconds{90'000}},
                     Read{{{"c0", "p0", "d0"}}}}};
  InProcess<ReadsLate> subject("defective");
  auto violation = agrees_unwatched().check(linked, subject);
  REQUIRE(violation);
  const auto result = minimise({&agrees_unwatched(), linked, std::move(*violation)}, subject, never);
  const auto& operations = result.failure.test_case.operations;
  CHECK(std::get<CreateCollection>(operations[0]).definition.default_ttl == TtlField{std::int64_t{1}});  // it inherits
  CHECK(std::get<Create>(operations[1]).content.ttl == TtlField{Absent{}});
  CHECK(std::get<Advance>(operations[2]).seconds == Seconds{1});
}

TEST_CASE("no change makes a case longer, and what is simpler by its complexity is another case") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Case test_case = generate(seed, {.longest_case = 20});
    for (const Pass pass : passes())
      for (const auto& change : pass(test_case)) {
        Case changed = test_case;
        change(changed);
        CHECK(changed.operations.size() <= test_case.operations.size());
        if (complexity(changed) < complexity(test_case)) CHECK(changed != test_case);
      }
  }
}

}  // namespace mayfly::test
