#pragma once

#include "results.hpp"
#include "workload.hpp"

namespace mayfly::bench {

/// What matches the filter, an extended regular expression (`-` first for what does not match it), and the floor of
/// each workload and size of that. Throws InputError.
Programme select(const Programme& programme, const std::string& filter);

/// Runs the benchmarks with Google Benchmark, which has read its flags, and says on stderr how far it is. A null
/// `results` leaves the output to Google Benchmark as well.
void run(const Programme& programme, Results* results, bool has_own_repetitions);

}  // namespace mayfly::bench
