// A libFuzzer target: bytes as a client may send them, to a server without a socket.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "serve_bytes.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mayfly::test::serve_bytes({reinterpret_cast<const char*>(data), size});
  return 0;
}

// Random bytes practically never become a request, so some inputs begin as requests.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  mayfly::Random random(seed);
  if (size > 1 && !random.one_in(4)) return LLVMFuzzerMutate(data, size, most);
  const std::string text = mayfly::test::mutated_requests(random);
  const std::size_t count = std::min(text.size(), most);
  std::copy_n(text.begin(), count, data);
  return count;
}
