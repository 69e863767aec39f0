#pragma once

#include <string>

#include "mayfly/props/report/result.hpp"

// A result for a terminal.

namespace mayfly {

/// The whole result: tables, findings with the commands that replay them, the verdict and its summary. `only_notable`
/// leaves out the tables of what holds.
std::string result_text(const Result& result, bool only_notable);

/// How a finding is printed.
std::string finding_text(const Result& result, const ReportedFinding& finding);

/// Annotations of all that is wrong, if GitHub runs the program (annotation.hpp).
std::string annotations_of(const Result& result);

}  // namespace mayfly
