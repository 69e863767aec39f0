#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// What is measured, and of whom.

namespace mayfly::bench {

/// One piece of work that all contestants are given.
struct Workload {
  std::string_view name;        ///< as in the names of benchmarks
  std::string_view stands_for;  ///< in a sentence
  std::string_view unit;        ///< what a time is the time of
};

/// What a contestant is: ours, something to compare it with, or the least that anybody can need.
enum class Role { floor, ours, peer };

struct Contestant {
  std::string_view name;
  Role role;
};

inline constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

/// What one iteration measured.
struct Sample {
  double seconds = 0;
  double operations = 1;
  double bytes = not_measured;  ///< for each document
};

/// A contestant at work. It lives through all iterations and repetitions of its benchmark, and goes on where it was.
class Run {
 public:
  Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  virtual ~Run() = default;
  virtual Sample iterate() = 0;
};

/// How many iterations a repetition has: as many as the time allows, or just so many where each takes its time.
struct Iterations {
  std::size_t count = 0;
  static constexpr Iterations as_time_allows() { return {}; }
};

struct Benchmark {
  Workload workload;
  Contestant contestant;
  std::size_t documents = 0;
  Iterations iterations;
  std::function<std::unique_ptr<Run>()> make;  ///< sets the contestant to work when its turn comes

  std::string name() const;
};

/// In the order in which they are run.
using Programme = std::vector<Benchmark>;

}  // namespace mayfly::bench
