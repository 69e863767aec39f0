#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

namespace mayfly::app {

inline std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

/// "1 case", "2,000 cases".
inline std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", with_commas(number), noun, number == 1 ? "" : "s");
}

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

}  // namespace mayfly::app
