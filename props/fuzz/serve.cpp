// A libFuzzer target: bytes as a client may send them, to a server without a socket.

#include <cstddef>
#include <cstdint>

#include "serve_bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mayfly::test::serve_bytes({reinterpret_cast<const char*>(data), size});
  return 0;
}
