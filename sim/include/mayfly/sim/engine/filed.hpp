#pragma once

#include <concepts>
#include <cstdint>

#include "mayfly/sim/engine/expiry_wheel.hpp"

// What the expiry index and the documents know of each other.

namespace mayfly::engine {

/// By what the expiry index holds a document.
enum class Filing : std::uint8_t { nowhere, by_ts, by_deadline };

/// What a slot remembers of its entries. All zero for a new slot.
struct Filed {
  Filed() = default;
  Filed(ExpiryWheel::Key near_key, Filing by, ExpiryWheel::Key far_key, bool is_far_there)
      : near(near_key & (ExpiryWheel::second_mask | ExpiryWheel::mark)),
        has_far(is_far_there),
        far(is_far_there ? far_key & ExpiryWheel::second_mask : 0),
        filing(static_cast<unsigned>(by) & 3U) {}

  ExpiryWheel::Key near : ExpiryWheel::second_bits + 1 = 0;
  ExpiryWheel::Key has_far : 1 = 0;
  ExpiryWheel::Key far : ExpiryWheel::second_bits = 0;  ///< without its mark, which is that of the nearest
  ExpiryWheel::Key filing : 2 = 0;

  Filing by() const { return static_cast<Filing>(filing); }
  ExpiryWheel::Key mark() const { return near & ExpiryWheel::mark; }
  bool operator==(const Filed&) const = default;
};
static_assert(sizeof(Filed) == 8);

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
