#pragma once

#include <ctime>

namespace mayfly::bench {

/// Seconds that this thread has worked: far steadier than time on the wall, where others work as well.
inline double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// How long `work()` takes.
template <class Work>
double timed(Work work) {
  const double begin = cpu_seconds();
  work();
  return cpu_seconds() - begin;
}

/// How long `work()` takes, also if that is far less than the clock can tell.
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
