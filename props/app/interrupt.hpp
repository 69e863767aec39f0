#pragma once

#include <csignal>

namespace mayfly::app {

/// Whether the user has asked the program to come to an end, since `watch_for_interrupt`.
inline volatile std::sig_atomic_t interrupted = 0;

inline void watch_for_interrupt() {
  std::signal(SIGINT, [](int) { interrupted = 1; });
}

}  // namespace mayfly::app
