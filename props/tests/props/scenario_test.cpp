#include <doctest/doctest.h>

#include "mayfly/props/property/scenarios.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "mayfly/sim/json.hpp"
#include "mayfly/sim/lockstep.hpp"
#include "mayfly/sim/trace.hpp"

namespace mayfly::test {

namespace {

template <Store S>
void run_scenario(const TraceCase& trace) {
  InProcess<S> subject("subject", Audit::every_operation);
  subject.reset(trace.start);
  for (const auto& step : trace.steps) {
    const Outcome outcome = subject.apply(step.operation);
    INFO("line ", step.line, ": ", to_line(to_json(step.operation)), " answered ", to_line(to_json(outcome)));
    CHECK(step.expect);
    if (step.expect) CHECK(step.expect->is_met_by(outcome));
  }
}

}  // namespace

TEST_CASE("both stores meet every scenario") {
  CHECK(scenario_names().size() >= rule_count);
  for (const auto name : scenario_names()) {
    CAPTURE(name);
    for (const auto& trace : read_trace_file(std::string(MAYFLY_SOURCE_DIR "/props/scenarios/").append(name))) {
      run_scenario<ReferenceStore>(trace);
      run_scenario<Engine>(trace);
    }
  }
}

}  // namespace mayfly::test
