#pragma once

#include <string_view>

#include <fmt/format.h>

#include "mayfly/sim/input_error.hpp"

namespace mayfly::app {

/// Returns what `read` does. An InputError that it throws gets the option before it, which only the command line knows.
template <class Read>
auto from_option(std::string_view option, Read read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", option, error.what()));
  }
}

}  // namespace mayfly::app
