#pragma once

#include "mayfly/props/property/property.hpp"
#include "mayfly/props/property/tally.hpp"

namespace mayfly {

/// Runs the case on the reference and on the subject, and compares every answer. Counts the exercised rules in `tally`,
/// unless it is null.
std::optional<Violation> check_agreement(const Case& test_case, Subject& subject, Watch watch, Tally* tally = nullptr);

}  // namespace mayfly
