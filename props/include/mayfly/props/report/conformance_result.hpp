#pragma once

#include <optional>
#include <string>

#include "mayfly/props/conformance/known_failures.hpp"
#include "mayfly/props/report/result.hpp"

namespace mayfly {

/// Fills in the rules, traces, findings without their stories, mismatches, how the run ended, and the texts. `role` is
/// "engine", "reference" or "target". Without a list of known failures, the result is violated by a rule that fails, a
/// finding that may break a stated rule, and one that no rule explains; with it, by deviations from the list.
void conclude_conformance(Result& result, const Conformance& found, const std::optional<KnownFailures>& known,
                          const std::string& role);

}  // namespace mayfly
