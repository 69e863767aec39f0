#include "mayfly/props/shrink.hpp"

#include <doctest/doctest.h>

#include "check_property.hpp"
#include "defective.hpp"
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

/// The failure of the first generated case that has one, minimised as `mayfly check` does.
template <Store S>
Minimised minimise_first(const Property& property, Subject& subject) {
  for (std::uint64_t seed = 0;; ++seed) {
    const Case test_case = generate(seed, {.longest_case = 200});
    if (auto violation = property.check(test_case, subject))
      return minimise({&property, test_case, std::move(*violation)}, subject, never);
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

TEST_CASE("a failure of up to 200 operations shrinks to one that fails in the same way, within 500 runs") {
  InProcess<ReadsLate> subject("defective");
  const Minimised result = minimise_first<ReadsLate>(agrees_watched(), subject);
  CAPTURE(trace_of(result.failure));
  CHECK(result.is_minimal);
  CHECK(result.runs <= 500);
  CHECK(result.failure.test_case.operations.size() <= 4);
  CHECK(result.failure.property->check(result.failure.test_case, subject));
}

TEST_CASE("shrinking stops when it is told to, with the best so far") {
  InProcess<ReadsLate> subject("defective");
  const Case test_case = generate(0, {.longest_case = 200});
  int left = 10;
  for (std::uint64_t seed = 0;; ++seed) {
    const Case found = generate(seed, {.longest_case = 200});
    auto violation = agrees_unwatched().check(found, subject);
    if (!violation) continue;
    const auto result =
        minimise({&agrees_unwatched(), found, std::move(*violation)}, subject, [&] { return left-- == 0; });
    CHECK_FALSE(result.is_minimal);
    CHECK(agrees_unwatched().check(result.failure.test_case, subject));
    break;
  }
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
  CHECK(std::get<Create>(result.failure.test_case.operations[1]).content.ttl == TtlField{std::int64_t{1}});
  CHECK(std::get<Advance>(result.failure.test_case.operations[2]).seconds == Seconds{1});
}

TEST_CASE("every simplification changes the case") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Case test_case = generate(seed, {.longest_case = 20});
    for (const auto& way : simplifications(test_case)) CHECK(simplified(test_case, way) != test_case);
  }
}

}  // namespace mayfly::test
