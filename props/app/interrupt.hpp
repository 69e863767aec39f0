#pragma once

#include <csignal>
#include <stdexcept>

namespace mayfly::app {

/// SIGINT or SIGTERM, once it has arrived after `watch_for_interrupt`; otherwise 0.
inline volatile std::sig_atomic_t interrupted = 0;

inline bool is_interrupted() { return interrupted != 0; }

/// Call this after all input is read. Until then a signal ends the program at once.
inline void watch_for_interrupt() {
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int which) { interrupted = which; });
}

/// Thrown to end a command that has nothing to report when it is interrupted.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

inline void stop_if_interrupted() {
  if (is_interrupted()) throw Interrupted();
}

}  // namespace mayfly::app
