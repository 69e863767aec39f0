#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What is measured, and with which contestants.

namespace mayfly::bench {

/// One piece of work. All contestants do the same.
struct Workload {
  std::string_view name;        ///< the first part of a benchmark's name
  std::string_view stands_for;  ///< one sentence
  std::string_view unit;        ///< one operation, to which a time belongs
};

/// The floor is the least work that any correct contestant could do, to touch is less; peers are what ours is compared
/// with.
enum class Role { floor, touch, ours, peer };

inline bool is_baseline(Role role) { return role == Role::floor || role == Role::touch; }

struct Contestant {
  std::string_view name;
  Role role;
};

/// The measurement of one iteration.
struct Sample {
  double seconds = 0;
  double operations = 1;
  std::optional<double> bytes = std::nullopt;  ///< of each document
};

/// A contestant at work. It keeps its state through all iterations and repetitions of its benchmark.
class Run {
 public:
  Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  virtual ~Run() = default;
  virtual Sample iterate() = 0;
};

/// The number of iterations of a repetition; 0 for as many as the time allows.
struct Iterations {
  std::size_t count = 0;
};

struct Benchmark {
  Workload workload;
  Contestant contestant;
  std::size_t documents = 0;
  Iterations iterations;
  std::function<std::unique_ptr<Run>()> make;

  /// WORKLOAD/CONTESTANT/DOCUMENTS
  std::string name() const;

  bool is_same_work(const Benchmark& other) const {
    return workload.name == other.workload.name && documents == other.documents;
  }
};

/// In the order in which they run.
using Benchmarks = std::vector<Benchmark>;

}  // namespace mayfly::bench
