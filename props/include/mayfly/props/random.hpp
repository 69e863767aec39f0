#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mayfly {

/// A stream of numbers from one seed (SplitMix64): the same on every compiler, and made in a nanosecond. Draw into
/// named variables: two draws in one argument list come in the compiler's order.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// Requires n > 0. From the high bits: n is always small here, so the bias does not matter.
  std::uint64_t below(std::uint64_t n) {
    assert(n > 0 && n <= UINT32_MAX);
    return ((next() >> 32) * n) >> 32;
  }

  bool one_in(std::uint64_t n) { return below(n) == 0; }

  template <class T>
  const T& pick(std::span<const T> choices) {
    return choices[below(choices.size())];
  }

 private:
  std::uint64_t state_;
};

}  // namespace mayfly
