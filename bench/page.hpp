#pragma once

#include <string>

#include "results.hpp"

namespace mayfly::bench {

/// One page that needs nothing else: a chart and a table for each workload.
std::string to_page(const Results& results);

}  // namespace mayfly::bench
