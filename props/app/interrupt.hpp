#pragma once

#include <csignal>
#include <stdexcept>

namespace mayfly::app {

/// The signal that asked the program to come to an end, since `watch_for_interrupt`; 0 if there was none.
inline volatile std::sig_atomic_t interrupted = 0;

inline bool is_interrupted() { return interrupted != 0; }

/// Call after all input is read: until then a signal may end the program as it is.
inline void watch_for_interrupt() {
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int which) { interrupted = which; });
}

/// Ends a command that has nothing to report when it is interrupted.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

inline void stop_if_interrupted() {
  if (is_interrupted()) throw Interrupted();
}

}  // namespace mayfly::app
