#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

namespace mayfly::bench {

/// The conditions under which figures were taken.
struct Machine {
  std::string processor;          ///< its model, or "unknown"
  const benchmark::CPUInfo& cpu;  ///< cores, caches and load average, as they were when the run began
  std::string compiler;
  bool has_asserts;    ///< figures of such a build are not comparable
  std::string commit;  ///< of the source tree when the run began, "-dirty" if it was edited; "unknown" without git

  std::string huge_pages;  ///< "always", "madvise" (to a program that asks for them), "never" or "unknown"

  static Machine observe();

  std::vector<benchmark::CPUInfo::CacheInfo> data_caches() const;

  /// The one-minute load average.
  double load() const { return cpu.load_avg.empty() ? 0 : cpu.load_avg.front(); }
};

/// Name and value of each property, for people.
std::vector<std::pair<std::string, std::string>> rows(const Machine& machine);

/// The same for a terminal of 80 columns.
std::string text(const Machine& machine);

/// The standard output of a shell command; nothing if it fails.
std::optional<std::string> output_of(const std::string& command);

}  // namespace mayfly::bench
