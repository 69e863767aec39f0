#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>

#include <fmt/format.h>

#include "mayfly/props/crew.hpp"

// Stores whose clock nobody can move. Cases are short there, and many run side by side, so that they share the waiting.

namespace mayfly::app {

inline constexpr unsigned side_by_side = 50;
inline constexpr std::size_t longest_case_in_real_time = 40;

// Of conformance: so much takes some two minutes.
inline constexpr std::uint64_t cases_in_real_time = 100;
inline constexpr std::uint64_t checks_in_real_time = 30;

inline void say_that_time_is_real(const Subject& store, unsigned members) {
  fmt::print(stderr, "time is real: ttls up to {} s, {} cases side by side\n", store.features().longest_step.count(),
             members);
}

/// Who asks such a store so many questions at once; nobody where time is not real. A request may take so many seconds.
inline std::unique_ptr<Crew> crew_of(Subject& store, unsigned members, double seconds, std::function<bool()> gives_up) {
  if (!is_in_real_time(store)) return nullptr;
  return std::make_unique<Crew>(*store.remote(), members, seconds, std::move(gives_up));
}

}  // namespace mayfly::app
