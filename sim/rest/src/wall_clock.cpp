#include "mayfly/rest/wall_clock.hpp"

#include <chrono>

namespace mayfly::rest {

Instant wall_clock_second() {
  return std::chrono::time_point_cast<Seconds>(
      std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
}

}  // namespace mayfly::rest
