#pragma once

#include <string>
#include <string_view>

#include "results.hpp"

namespace mayfly::bench {

/// The figures of a workload, in 80 columns.
std::string table(const Results& results, const Workload& workload);

/// What the columns mean.
std::string legend();

/// The results as JSON, in the shape that BENCHMARKS.md describes.
std::string to_json_text(const Results& results);

/// One page without external resources: a summary, and a chart and a table for each workload.
std::string to_page(const Results& results);

}  // namespace mayfly::bench
