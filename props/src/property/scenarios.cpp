#include "mayfly/props/property/scenarios.hpp"

#include <algorithm>
#include <sstream>

namespace mayfly {

namespace {

std::vector<Scenario> read_scenarios() {
  std::vector<Scenario> scenarios;
  for (std::size_t i = 0; i < scenario_names().size(); ++i) {
    std::istringstream in{std::string(scenario_texts()[i])};
    scenarios.push_back({scenario_names()[i], read_trace(in, std::string(scenario_names()[i]))});
  }
  return scenarios;
}

bool is_met_by(const TraceCase& trace, Subject& subject) {
  if (!can_run(subject.features(), trace.without_expectations())) return true;
  subject.reset(trace.start);
  return std::all_of(trace.steps.begin(), trace.steps.end(), [&](const TraceStep& step) {
    const Outcome outcome = subject.apply(step.operation);
    return !step.expect || step.expect->is_met_by(outcome);
  });
}

}  // namespace

std::span<const Scenario> all_scenarios() {
  static const std::vector<Scenario> scenarios = read_scenarios();
  return scenarios;
}

bool is_met_by(const Scenario& scenario, Subject& subject) {
  return std::all_of(scenario.cases.begin(), scenario.cases.end(),
                     [&](const TraceCase& trace) { return is_met_by(trace, subject); });
}

}  // namespace mayfly
