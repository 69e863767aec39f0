#pragma once

#include <string>
#include <string_view>

#include "mayfly/sim/random.hpp"

// Bytes from an arbitrary client. The tests send some to the server, the fuzzer many more.

namespace mayfly::test {

/// Sends the bytes to a new server. Aborts if its state is then not sound, or if it answers anything that is not a
/// response.
void serve_bytes(std::string_view bytes);

/// Requests as clients send them, with a few bytes here and there changed, doubled, or left out.
std::string mutated_requests(Random& random);

}  // namespace mayfly::test
