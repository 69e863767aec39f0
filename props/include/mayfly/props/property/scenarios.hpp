#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "mayfly/sim/subject.hpp"
#include "mayfly/sim/trace.hpp"

namespace mayfly {

/// The files in props/scenarios/, as they were when the program was built: names and texts in the same order.
std::span<const std::string_view> scenario_names();
std::span<const std::string_view> scenario_texts();

struct Scenario {
  std::string_view name;
  std::vector<TraceCase> cases;
};

/// Every scenario. The first call parses them.
std::span<const Scenario> all_scenarios();

/// Whether every answer of the subject is the one that the scenario expects.
bool is_met_by(const Scenario& scenario, Subject& subject);

}  // namespace mayfly
