#pragma once

#include <string>
#include <vector>

#include "results.hpp"

namespace mayfly::bench {

/// A promise about the index, and what was measured.
struct Bar {
  std::string what;
  double limit;  ///< at most this
  double measured;
  std::string unit;

  bool is_met() const { return measured <= limit; }
};

/// Those for which the run has the figures; none after a run of small sizes only.
std::vector<Bar> bars(const Results& results);

}  // namespace mayfly::bench
