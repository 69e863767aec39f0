#pragma once

#include <string>
#include <vector>

#include "result.hpp"

// What `mayfly check` tells build servers.

namespace mayfly::app {

/// A trace of the corpus, and the place of what it found in the result.
struct ReplayedTrace {
  std::string name;
  std::optional<std::size_t> found;
};

std::string junit_of(const Result& result, const std::vector<ReplayedTrace>& corpus);

/// An annotation for each defect that was found, where GitHub runs us.
std::string annotations_of(const Result& result);

}  // namespace mayfly::app
