#pragma once

#include <ctime>

namespace mayfly::bench {

/// The reading of a clock in seconds, 0 if there is no such clock.
inline double seconds_on(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The processor time of this thread that `work()` takes. It is far steadier than elapsed time on a shared machine.
template <class Work>
double timed(Work work) {
  const double begin = seconds_on(CLOCK_THREAD_CPUTIME_ID);
  work();
  return seconds_on(CLOCK_THREAD_CPUTIME_ID) - begin;
}

/// The same for work that is shorter than the clock can measure: repeats it.
template <class Work>
double timed_precisely(Work work) {
  constexpr double long_enough = 200e-6;
  for (unsigned times = 1;; times *= 2) {
    const double seconds = timed([&] {
      for (unsigned i = 0; i < times; ++i) work();
    });
    if (seconds >= long_enough) return seconds / times;
  }
}

}  // namespace mayfly::bench
