#pragma once

#include <string>
#include <vector>

#include "mayfly/props/report/result.hpp"

// The verdicts on several stores side by side.

namespace mayfly {

/// Reads results of `mayfly conform`. Stores of the same name are named by their files. Throws InputError, which names
/// the file.
std::vector<Result> read_comparison(const std::vector<std::string>& files);

/// A table that fits the width, in words or in letters, and the rules on which the stores differ.
std::string comparison_text(const std::vector<Result>& results, std::size_t width);

std::string comparison_page(const std::vector<Result>& results);

}  // namespace mayfly
