#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

#include "documents.hpp"

namespace mayfly::bench {

/// Deadline and slot in one number, for ordered peers: 36 bits of seconds and 28 bits of slot. Eight bytes and one
/// comparison are the best case for them.
using Key = std::uint64_t;
inline constexpr unsigned slot_bits = 28;

constexpr Key key(Instant second, Slot slot) {
  assert(slot < (Slot{1} << slot_bits));
  return static_cast<Key>(second.time_since_epoch().count()) << slot_bits | slot;
}

constexpr Instant second_of(Key key) { return Instant{Seconds{static_cast<std::int64_t>(key >> slot_bits)}}; }
constexpr Slot slot_of(Key key) { return static_cast<Slot>(key & ((Key{1} << slot_bits) - 1)); }

/// Greater than every key of this second and of earlier seconds.
constexpr Key end_of(Instant second) { return key(second + Seconds{1}, 0); }

/// The keys of all documents that can expire.
template <class Fields>
std::vector<Key> keys(Documents<Fields>& documents) {
  std::vector<Key> keys;
  keys.reserve(documents.size());
  for (const auto& document : documents)
    if (document.can_expire()) keys.push_back(key(documents.deadline(document), documents.slot_of(document)));
  return keys;
}

/// Sorted, because appending to a tree or a heap is far cheaper than inserting at random.
template <class Fields>
std::vector<Key> sorted_keys(Documents<Fields>& documents) {
  std::vector<Key> sorted = keys(documents);
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace mayfly::bench
