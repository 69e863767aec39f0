#pragma once

#include <string>

#include "bars.hpp"
#include "results.hpp"

namespace mayfly::bench {

/// The results as JSON, in the shape that BENCHMARKS.md describes.
std::string to_json_text(const Results& results);

}  // namespace mayfly::bench
