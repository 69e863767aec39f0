#pragma once

#include <string>
#include <vector>

namespace mayfly::bench {

/// Complete HTTP requests with the headers of a usual client, signed with the key of emulators.
struct Requests {
  std::vector<std::string> setup;   ///< create a database and a container; sent once, in this order
  std::vector<std::string> reads;   ///< a point read of each item
  std::vector<std::string> writes;  ///< an upsert of each item
  std::vector<std::string> end;     ///< deletes the database
};

Requests make_requests(std::size_t items);

}  // namespace mayfly::bench
