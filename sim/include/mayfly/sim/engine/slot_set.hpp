#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "mayfly/sim/engine/filed.hpp"
#include "mayfly/sim/engine/stable_array.hpp"

// A set of slots, a bit each, that finds the next one without looking at those between: a bit of a higher level says
// whether a word of the level below has any. Words are short, so that a few dozen slots go the same way as millions.

namespace mayfly::engine {

class SlotSet {
 public:
  /// Requires that it is not in the set.
  void insert(SlotId slot) {
    std::size_t at = slot;
    for (auto& words : levels_) {
      while (at / width >= words.size()) words.emplace_back(Word{0});
      Word& word = words[at / width];
      const bool was_empty = word == 0;
      word = static_cast<Word>(word | 1U << (at % width));
      if (!was_empty) return;
      at /= width;
    }
  }

  /// Requires that it is in the set.
  void erase(SlotId slot) {
    std::size_t at = slot;
    for (auto& words : levels_) {
      Word& word = words[at / width];
      word = static_cast<Word>(word & ~(1U << (at % width)));
      if (word != 0) return;
      at /= width;
    }
  }

  /// The first that is not before `from`, or `no_slot`.
  SlotId next(SlotId from) const {
    std::size_t at = from;
    for (std::size_t level = 0; level < levels_.size() && at / width < levels_[level].size(); ++level) {
      const unsigned rest = static_cast<unsigned>(levels_[level][at / width]) >> (at % width);
      if (rest != 0) return first_below(level, at + static_cast<std::size_t>(std::countr_zero(rest)));
      at = at / width + 1;
    }
    return no_slot;
  }

 private:
  using Word = std::uint8_t;
  static constexpr std::size_t width = 8;

  SlotId first_below(std::size_t level, std::size_t at) const {
    while (level-- > 0)
      at = at * width + static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(levels_[level][at])));
    return static_cast<SlotId>(at);
  }

  std::array<StableArray<Word, width>, 11> levels_;  ///< enough for all slots: the highest has one word
};

}  // namespace mayfly::engine
