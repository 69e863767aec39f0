#pragma once

#include <stdexcept>

namespace mayfly {

/// Invalid input from outside. The message is for the user and names the place.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace mayfly
