#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "mayfly/props/crew.hpp"

// Stores whose clock nobody can move. Cases are short there, and many run side by side, so that they share the waiting.

namespace mayfly::app {

inline constexpr unsigned side_by_side = 50;
inline constexpr std::size_t longest_case_in_real_time = 40;

inline bool is_in_real_time(Subject& store) {
  return store.remote() && store.remote()->time() == RemoteSubject::Time::real;
}

/// Who asks such a store so many questions at once; nobody where time is not real. A request may take so many seconds.
inline std::unique_ptr<Crew> crew_of(Subject& store, unsigned members, double seconds, std::function<bool()> gives_up) {
  if (!is_in_real_time(store)) return nullptr;
  return std::make_unique<Crew>(*store.remote(), members, seconds, std::move(gives_up));
}

}  // namespace mayfly::app
