#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>

#include <fmt/format.h>

#include "mayfly/props/run/worker_pool.hpp"

// Stores whose clock cannot be moved. Cases are short there, and many run side by side, which shares the waiting.

namespace mayfly::app {

inline constexpr unsigned side_by_side = 50;
inline constexpr std::size_t longest_case_in_real_time = 40;

// Of conformance: with these it takes some two minutes.
inline constexpr std::uint64_t cases_in_real_time = 100;
inline constexpr std::uint64_t checks_in_real_time = 30;

inline void say_that_time_is_real(const Subject& store, unsigned workers) {
  fmt::print(stderr, "time is real: ttls up to {} s, {} cases side by side\n", store.features().longest_step.count(),
             workers);
}

/// A pool of `workers` for a store in real time; null otherwise. `timeout` is the time for a request, in seconds.
inline std::unique_ptr<WorkerPool> pool_for(Subject& store, unsigned workers, double timeout,
                                            std::function<bool()> cancel) {
  if (!is_in_real_time(store)) return nullptr;
  return std::make_unique<WorkerPool>(*store.remote(), workers, timeout, std::move(cancel));
}

}  // namespace mayfly::app
