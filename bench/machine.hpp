#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mayfly::bench {

/// The conditions under which figures were taken.
struct Machine {
  struct Cache {
    int level;
    std::uint64_t kib;
  };

  std::string processor;  ///< its model
  unsigned cores;
  std::vector<Cache> caches;  ///< that hold data, as the first core sees them
  std::string compiler;
  bool has_asserts;    ///< figures of such a build are not comparable
  std::string commit;  ///< of the source tree when the run began, "-dirty" if it was edited
  double load;         ///< one-minute load average

  /// As it is now. What the system does not say is "unknown".
  static Machine observe();

  static unsigned count_cores();
};

/// Name and value of each property, for people.
std::vector<std::pair<std::string, std::string>> rows(const Machine& machine);

/// The same for a terminal of 80 columns.
std::string text(const Machine& machine);

/// Seconds that all processors together have been busy since the system started.
double busy_seconds();

/// The standard output of a shell command; nothing if it fails.
std::optional<std::string> output_of(const std::string& command);

}  // namespace mayfly::bench
