#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

#include "mayfly/model/time.hpp"

// What the expiry index and the documents know of each other.

namespace mayfly::engine {

using SlotId = std::uint32_t;
inline constexpr SlotId no_slot = std::numeric_limits<SlotId>::max();

/// By what the expiry index holds a document.
enum class Filing : std::uint8_t { nowhere, by_ts, by_deadline };

/// A second, cut down to `second_bits`.
using Key = std::uint32_t;
inline constexpr unsigned second_bits = 29;
inline constexpr Key key_mask = (Key{1} << second_bits) - 1;
inline Key key_of(Instant second) { return static_cast<Key>(second.time_since_epoch().count()) & key_mask; }

/// Where an entry is: by what it is filed, at which second, and the mark of a sweep. A slot remembers this of its
/// entry; all zero for a new slot.
class Filed {
 public:
  Filed() = default;
  Filed(Filing by, Instant second, bool mark)
      : bits_(key_of(second) << key_shift | (mark ? mark_bit : 0) | static_cast<std::uint32_t>(by)) {}

  Filing by() const { return static_cast<Filing>(bits_ & kind_mask); }
  Key key() const { return bits_ >> key_shift; }

  /// Whether it is of the wanted kind, and not later. Requires that the two are less than half of all keys apart.
  bool serves(Filed wanted) const {
    constexpr std::uint32_t sign = std::uint32_t{1} << 31;
    return ((wanted.unmarked() - unmarked()) & (sign | kind_mask)) == 0;
  }

  Filed marked(bool mark) const {
    Filed filed = *this;
    filed.bits_ = (bits_ & ~mark_bit) | (mark ? mark_bit : 0);
    return filed;
  }

  bool operator==(const Filed&) const = default;

 private:
  static constexpr unsigned key_shift = 32 - second_bits;
  static constexpr std::uint32_t kind_mask = 3;
  static constexpr std::uint32_t mark_bit = 4;

  std::uint32_t unmarked() const { return bits_ & ~mark_bit; }

  std::uint32_t bits_ = 0;
};

/// By what a document must be filed, and the second that it must not be filed after.
struct Filable {
  Filing by = Filing::nowhere;
  Instant second{};
};

/// The documents that are indexed, in slots. Empty slots are filable nowhere.
template <class T>
concept FiledDocuments = requires(T& documents, const T& constant, SlotId slot) {
  { documents.filed(slot) } -> std::same_as<Filed&>;
  { constant.filed(slot) } -> std::same_as<const Filed&>;
  { constant.filable(slot) } -> std::same_as<Filable>;
  { constant.slot_end() } -> std::convertible_to<std::size_t>;
  constant.prefetch(slot);
};

}  // namespace mayfly::engine
