#pragma once

#include <functional>
#include <string>

#include "results.hpp"

namespace mayfly::bench {

/// The benchmarks that match the filter, an extended regular expression (with `-` before it: those that do not match),
/// and the floor of each of their workloads and sizes. All sizes of a workload are adjacent. Throws InputError.
Benchmarks select(const Benchmarks& benchmarks, const std::string& filter);

struct RunOptions {
  bool has_own_format = false;  ///< Google Benchmark prints its own output, and there are no results
  int repetitions = 1;
};

/// Runs the benchmarks with Google Benchmark, which has read its flags, and prints progress to standard error. Within a
/// repetition, all contestants of a workload and size take turns. Adds the figures to the results, and calls `show`
/// when a workload is done. An interrupt ends the run after the iteration that it finds, and leaves out that repetition
/// of the contestant.
void run(const Benchmarks& benchmarks, const RunOptions& options, Results& results,
         const std::function<void(const Workload&)>& show);

}  // namespace mayfly::bench
