#pragma once

#include <string>

#include "mayfly/props/report/result.hpp"

// A result for a terminal.

namespace mayfly {

/// All of it: tables, findings with how to replay them, the verdict and what stands behind it. `only_notable` leaves
/// out what is as it should be.
std::string result_text(const Result& result, bool only_notable);

/// How a finding is printed.
std::string finding_text(const Result& result, const ReportedFinding& finding);

/// Annotations of all that is wrong, where GitHub runs the program (annotation.hpp).
std::string annotations_of(const Result& result);

}  // namespace mayfly
