#pragma once

#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <sys/resource.h>

#include "mayfly/sim/process/child.hpp"

namespace mayfly::test {

/// A process that runs a function, and is killed at the end of the test at the latest.
class ChildProcess {
 public:
  explicit ChildProcess(auto run)
      : child_([&](Channel& parent) {
          run([&](std::int64_t number) { parent.send(std::to_string(number)); });
          return 0;
        }) {}

  /// The next number that the child reports, or nothing if it has ended.
  std::optional<std::int64_t> next() {
    const auto line = child_.channel().read_line();
    return line ? std::optional(std::stoll(*line)) : std::nullopt;
  }

  void stop() { child_.kill(); }

 private:
  Child child_;
};

/// Makes all further writes of this process fail that would enlarge a file: simulates a full disk in a child.
inline void limit_files_to(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace mayfly::test
