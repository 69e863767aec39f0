#include "mayfly/props/property/property.hpp"

#include <string>

#include <doctest/doctest.h>

#include "mayfly/props/defects/defective_store.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/rapidcheck.hpp"
#include "mayfly/sim/engine/engine.hpp"

// Every property under RapidCheck, on each of Mayfly's stores, with the engine's invariants checked after each
// operation.

namespace mayfly::test {

namespace {

void check_each(Subject& subject) {
  for (const Property& property : all_properties())
    SUBCASE(std::string(property.name).c_str()) CHECK(check_property(property, subject));
}

}  // namespace

TEST_CASE("every property holds of the engine") {
  InProcess<Engine> engine("engine", Audit::every_operation);
  check_each(engine);
}

TEST_CASE("every property holds of the reference") {
  InProcess<ReferenceStore> reference("reference");
  check_each(reference);
}

TEST_CASE("without a defect, every property holds of the store that has the defects") {
  InProcess<DefectiveStore> clean("store without a defect", Audit::never, DefectiveStore(Defect::none));
  check_each(clean);
}

TEST_CASE("the engine and the reference agree over long cases too") {
  InProcess<Engine> engine("engine", Audit::every_operation);
  const auto long_cases = cases({.longest_case = 5'000, .one_is_long_in = 8});
  CHECK(rc::check("engine: everything that can be seen is as the rules allow in long cases",
                  [&] { return keeps(agrees_watched(), *long_cases, engine); }));
}

}  // namespace mayfly::test
