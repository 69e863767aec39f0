#pragma once

#include <functional>
#include <string>

#include "results.hpp"
#include "workload.hpp"

namespace mayfly::bench {

/// What matches the filter, an extended regular expression (`-` first for what does not match it), and the floor of
/// each workload and size of that; all sizes of a workload one after the other. Throws InputError.
Programme select(const Programme& programme, const std::string& filter);

/// Whose figures are shown, and how many times each benchmark is run.
struct RunOptions {
  bool has_own_format = false;       ///< Google Benchmark's own, by its flags: then there are no results
  bool has_own_repetitions = false;  ///< as its flag says, for everybody
};

/// Runs the benchmarks with Google Benchmark, which has read its flags, and says on stderr how far it is. Calls `show`
/// with the results so far when a workload is done.
Results run(const Programme& programme, const RunOptions& options,
            const std::function<void(const Results&, const Workload&)>& show);

}  // namespace mayfly::bench
