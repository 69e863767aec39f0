#pragma once

#include <string>
#include <string_view>

#include "mayfly/sim/random.hpp"

// Bytes from a client that may be anybody. The tests feed some to the server, the fuzzer many more.

namespace mayfly::test {

/// Has a fresh server take in the bytes, whatever they are. Aborts if what is then in it is not sound, or if it answers
/// anything that is no response.
void serve_bytes(std::string_view bytes);

/// Requests as clients send them, with a few bytes here and there changed, doubled, or left out.
std::string mutated_requests(Random& random);

}  // namespace mayfly::test
