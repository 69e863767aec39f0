#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

#include "seed.hpp"

namespace mayfly::app {

/// The columns of standard output: COLUMNS, or the terminal's; 80 in a file or a pipe.
inline std::size_t terminal_width() {
  constexpr std::size_t usual = 80;
  const char* said = std::getenv("COLUMNS");
  if (const auto columns = said ? parse_number(said) : std::nullopt; columns && *columns > 0) return *columns;
  winsize size{};
  const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : usual;
}

/// The columns of prose. Longer lines are hard to read, and in fewer columns than 40 no word fits beside a margin.
inline std::size_t prose_width() { return std::clamp<std::size_t>(terminal_width(), 40, 100); }

}  // namespace mayfly::app
