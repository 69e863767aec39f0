#pragma once

#include <cstddef>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

#include "seed.hpp"

namespace mayfly::app {

/// How many columns standard output has: as COLUMNS says, or the terminal; 80 in a file or a pipe.
inline std::size_t terminal_width() {
  constexpr std::size_t usual = 80;
  const char* said = std::getenv("COLUMNS");
  if (const auto columns = said ? parse_number(said) : std::nullopt; columns && *columns > 0) return *columns;
  winsize size{};
  const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : usual;
}

}  // namespace mayfly::app
