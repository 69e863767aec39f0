#pragma once

#include <string>
#include <string_view>

#include "bars.hpp"
#include "results.hpp"

namespace mayfly::bench {

/// Two or three digits where they tell something, and commas: 0.0012, 1.57, 12.3, 310,487,262.
std::string number(double value);

std::string role_name(Role role);

/// The figures of a workload, in 80 columns.
std::string table(const Results& results, const Workload& workload);

/// What the columns mean.
std::string legend();

std::string table(const std::vector<Bar>& bars);

}  // namespace mayfly::bench
