#pragma once

#include <cstddef>
#include <cstdint>

namespace mayfly::serve {

/// Counts the work of one request, so that none holds the server for long, nor fills its memory. Whoever evaluates,
/// reads or builds something takes steps for it first.
class WorkMeter {
 public:
  /// Takes steps for looking at an item, or for a part of an expression. Throws Refusal if the request has had its
  /// share.
  void take(std::uint64_t steps) {
    if (steps > left_) refuse();
    left_ -= steps;
  }
  /// Takes steps for text or values of this size, which are read, compared or built.
  void take_bytes(std::size_t bytes) { take(1 + bytes / bytes_of_step); }

  /// Whether a page should end here rather than meet the limit.
  bool is_half_used() const { return left_ < most_steps / 2; }

 private:
  static constexpr std::uint64_t most_steps = 2'000'000;
  static constexpr std::size_t bytes_of_step = 16;

  [[noreturn]] static void refuse();

  std::uint64_t left_ = most_steps;
};

}  // namespace mayfly::serve
