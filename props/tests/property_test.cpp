#include <doctest/doctest.h>

#include "check_property.hpp"
#include "mayfly/sim/engine/engine.hpp"

// Every property under RapidCheck, on both stores, with the engine's invariants checked after each operation.

namespace mayfly::test {

namespace {

constexpr int runs = 500;

void check_all(Subject& subject) {
  for (const Property& property : all_properties()) {
    CAPTURE(property.name);
    CHECK(trace_of(find_failure(property, subject, runs)) == "");
  }
}

}  // namespace

TEST_CASE("every property holds of the engine") {
  InProcess<Engine> engine("engine", Audit::every_operation);
  check_all(engine);
}

TEST_CASE("every property holds of the reference") {
  InProcess<ReferenceStore> reference("reference");
  check_all(reference);
}

TEST_CASE("the engine and the reference agree over long cases too") {
  InProcess<Engine> engine("engine", Audit::every_operation);
  CHECK(trace_of(find_failure(agrees_watched(), engine, 20, {.longest_case = 5'000})) == "");
}

}  // namespace mayfly::test
