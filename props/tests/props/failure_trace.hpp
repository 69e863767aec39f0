#pragma once

#include <optional>
#include <string>

#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/sim/trace.hpp"

namespace mayfly::test {

/// The failure as a trace, or "" if there is none: so that a test that compares it with "" prints it.
inline std::string trace_of(const std::optional<Failure>& failure) {
  return failure ? trace_text(failure->test_case) + violation_text(*failure, "store") + "\n" : "";
}

}  // namespace mayfly::test
