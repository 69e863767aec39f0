#pragma once

#include <optional>
#include <string>

#include "mayfly/props/conformance/known_failures.hpp"
#include "mayfly/props/report/result.hpp"

namespace mayfly {

/// Fills in what was found about a store: rules, traces, findings but for what is shown of them step by step,
/// mismatches, how it ended, and its texts. `role` is "engine", "reference" or "target"; `known` is what is expected,
/// if that was said. Without it, the result is violated by a rule that fails, a finding that may break a stated rule,
/// and one that no rule explains; with it, by what is not as the list says.
void conclude_conformance(Result& result, const Conformance& found, const std::optional<KnownFailures>& known,
                          const std::string& role);

}  // namespace mayfly
