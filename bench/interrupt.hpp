#pragma once

#include <csignal>
#include <unistd.h>

// Ctrl-C ends a run early and keeps its figures.

namespace mayfly::bench {

/// The signal that interrupted the run, since `watch_for_interrupt`; 0 if there was none.
inline volatile std::sig_atomic_t interrupted = 0;

struct Interrupted {};

inline void stop_if_interrupted() {
  if (interrupted != 0) throw Interrupted();
}

/// SIGINT and SIGTERM set `interrupted`; a second one ends the process.
inline void watch_for_interrupt() {
  struct sigaction action {};
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  action.sa_handler = [](int signal) {
    interrupted = signal;
    constexpr char text[] = "\nmayfly: stopping; a second signal ends the run without its results\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, sizeof text - 1);
  };
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

}  // namespace mayfly::bench
