#pragma once

#include <string>
#include <vector>

namespace mayfly::bench {

/// Whole requests, as a client of the service would send them, signed with the emulators' key.
struct Requests {
  std::vector<std::string> setup;   ///< a database and a container, to be asked once and in this order
  std::vector<std::string> reads;   ///< a point read of each item
  std::vector<std::string> writes;  ///< an upsert of each item
  std::vector<std::string> end;     ///< deletes all of it
};

Requests make_requests(std::size_t items);

}  // namespace mayfly::bench
