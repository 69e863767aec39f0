#pragma once

#include <cstdio>
#include <string>
#include <unistd.h>

#include <fmt/format.h>

namespace mayfly {

/// Overwrites one line of the terminal, four times a second. Says nothing into a pipe.
class Progress {
 public:
  explicit Progress(bool is_wanted) : is_shown_(is_wanted && ::isatty(STDERR_FILENO) == 1) {}

  bool is_due(double seconds) const { return is_shown_ && seconds >= next_; }

  void show(double seconds, const std::string& line) {
    next_ = seconds + 0.25;
    fmt::print(stderr, "\r\033[K{}", line);
    std::fflush(stderr);
  }

  void clear() const {
    if (is_shown_) fmt::print(stderr, "\r\033[K");
  }

 private:
  bool is_shown_;
  double next_ = 0.25;
};

}  // namespace mayfly
