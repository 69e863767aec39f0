#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mayfly {

/// Spreads every bit of the input over all bits of the result (the finalizer of SplitMix64).
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// A stream of numbers from one seed (SplitMix64): the same on every compiler, and a nanosecond a number. Draw into
/// named variables: within one argument list, the compiler chooses the order of two draws.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// Stream number `number` of a seed. The state is hashed: streams whose states are a multiple of the increment apart
  /// would overlap, and one would repeat the draws of the other.
  Random(std::uint64_t seed, std::uint64_t number) : state_(mix(mix(seed + increment) + number * 0xd1342543de82ef95)) {}

  std::uint64_t next() { return mix(state_ += increment); }

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
  static constexpr std::uint64_t increment = 0x9e3779b97f4a7c15;

  std::uint64_t state_;
};

}  // namespace mayfly
