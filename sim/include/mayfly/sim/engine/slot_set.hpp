#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "mayfly/sim/engine/entry_queue.hpp"

// A set of slots, a bit each, that finds the next one without looking at those between: a bit of a higher level says
// whether a word of the level below has any.

namespace mayfly::engine {

class SlotSet {
 public:
  /// Requires that it is not in the set.
  void insert(SlotId slot) {
    std::size_t at = slot;
    for (auto& words : levels_) {
      if (at / width >= words.size()) words.resize(at / width + 1);
      std::uint64_t& word = words[at / width];
      const bool was_empty = word == 0;
      word |= std::uint64_t{1} << (at % width);
      if (!was_empty) return;
      at /= width;
    }
  }

  /// Requires that it is in the set.
  void erase(SlotId slot) {
    std::size_t at = slot;
    for (auto& words : levels_) {
      std::uint64_t& word = words[at / width];
      word &= ~(std::uint64_t{1} << (at % width));
      if (word != 0) return;
      at /= width;
    }
  }

  /// The first that is not before `from`, or `no_slot`.
  SlotId next(SlotId from) const {
    std::size_t at = from;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      const auto& words = levels_[level];
      if (at / width >= words.size()) return no_slot;
      const std::uint64_t rest = words[at / width] >> (at % width);
      if (rest != 0) return first_below(level, at + static_cast<std::size_t>(std::countr_zero(rest)));
      at = at / width + 1;
    }
    const auto& top = levels_.back();  // sixteen words for four million slots
    while (at < top.size() && top[at] == 0) ++at;
    return at == top.size() ? no_slot : first_below(levels_.size(), at);
  }

 private:
  static constexpr std::size_t width = 64;

  SlotId first_below(std::size_t level, std::size_t at) const {
    while (level-- > 0) at = at * width + static_cast<std::size_t>(std::countr_zero(levels_[level][at]));
    return static_cast<SlotId>(at);
  }

  std::array<std::vector<std::uint64_t>, 3> levels_;
};

}  // namespace mayfly::engine
