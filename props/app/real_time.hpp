#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>

#include <fmt/format.h>

#include "mayfly/props/run/worker_pool.hpp"

// Stores in real time: their clock cannot be moved. Cases are short, and run in parallel to wait at the same time.

namespace mayfly::app {

inline constexpr unsigned parallel_cases = 50;
inline constexpr std::size_t longest_case_in_real_time = 40;

// For conformance, which takes about two minutes with these.
inline constexpr std::uint64_t cases_in_real_time = 100;
inline constexpr std::uint64_t checks_in_real_time = 30;

inline void announce_real_time(const Subject& store, unsigned workers) {
  fmt::print(stderr, "real time: ttls up to {} s, {} cases in parallel\n", store.features().longest_step.count(),
             workers);
}

/// A pool of `workers` for a store in real time; null for any other. `timeout` is that of a request, in seconds.
inline std::unique_ptr<WorkerPool> pool_for(Subject& store, unsigned workers, double timeout,
                                            std::function<bool()> cancel) {
  if (!is_in_real_time(store)) return nullptr;
  return std::make_unique<WorkerPool>(*store.remote(), workers, timeout, std::move(cancel));
}

}  // namespace mayfly::app
