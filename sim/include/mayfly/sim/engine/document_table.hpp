#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

#include "mayfly/model/time.hpp"
#include "mayfly/sim/engine/filed.hpp"
#include "mayfly/sim/engine/slot_runs.hpp"
#include "mayfly/sim/engine/slot_set.hpp"
#include "mayfly/sim/engine/stable_array.hpp"
#include "mayfly/sim/engine/stepped_map.hpp"

// The documents of one collection, in slots. A slot's number stays the document's for as long as it is stored, and is
// what the indexes hold: documents are found through a map from the fingerprint of their key to their slot. A slot that
// stores nothing names the next one that stores nothing. Whatever the number of documents, one more moves none of them,
// and at most 4,096 elements of the maps.

namespace mayfly::engine {

// What the indexes look at comes first, and shares a cache line with the id.
struct alignas(64) StoredDocument {
  Instant ts{};
  Filed filed;
  std::int32_t ttl = 0;   ///< 0 inherits, -1 never, or seconds
  SlotId next = no_slot;  ///< with the same fingerprint; or the next free slot, if this one is
  bool stored = false;
  std::string id;
  std::string partition;
  std::string value;
};

class DocumentTable {
 public:
  /// Fingerprints are cut down to the bits of `mask`: tests use few, so that keys collide.
  explicit DocumentTable(std::uint64_t mask = ~std::uint64_t{0}) : mask_(mask) {}

  /// The document's slot, or `no_slot`.
  SlotId find(std::string_view partition, std::string_view id) const;

  /// Requires that no document has this key.
  SlotId insert(std::string_view partition, std::string_view id);

  void erase(SlotId slot);

  StoredDocument& operator[](SlotId slot) { return slots_[slot]; }
  const StoredDocument& operator[](SlotId slot) const { return slots_[slot]; }

  // As the expiry index wants it.
  Filed& filed(SlotId slot) { return slots_[slot].filed; }
  const Filed& filed(SlotId slot) const { return slots_[slot].filed; }
  Filable filable(SlotId slot) const;
  void prefetch(SlotId slot) const { __builtin_prefetch(&slots_[slot], 1); }

  /// Calls `visit(slot)` for stored documents in the order of slots, of one partition if given, from slot `from` until
  /// it answers false. Says from which slot to go on, or nothing if there is no more. Other slots cost nothing.
  template <class Visit>
  std::optional<SlotId> visit_from(SlotId from, const std::optional<std::string>& partition, Visit visit) const;

  /// The first slot at or after this one that stores a document, or `no_slot`.
  SlotId next_stored(SlotId from) const { return stored_.next(from); }

  std::size_t size_of(const std::string& partition) const;

  /// Every slot is below this number; those that store nothing say so.
  SlotId slot_end() const { return static_cast<SlotId>(slots_.size()); }

  std::size_t size() const { return size_; }

  /// Calls `visit(slot)` for the slots that store nothing, in the order in which they will be taken.
  template <class Visit>
  void for_each_free(const Visit& visit) const {
    for (SlotId slot = free_; slot != no_slot; slot = slots_[slot].next) visit(slot);
  }

  void check_invariants() const;

 private:
  // The fingerprint is well mixed already.
  struct Unchanged {
    using is_avalanching = void;
    std::size_t operator()(std::uint64_t fingerprint) const { return fingerprint; }
  };

  std::uint64_t fingerprint(std::string_view partition, std::string_view id) const;
  SlotId take_slot();
  void unlink(SlotId slot);
  std::span<const SlotId> in_partition(const std::string& partition, SlotId from) const;

  std::uint64_t mask_;
  StableArray<StoredDocument, 32> slots_;
  SlotId free_ = no_slot;  ///< the first free slot
  std::size_t size_ = 0;
  SlotSet stored_;
  SteppedMap<boost::unordered_flat_map<std::uint64_t, SlotId, Unchanged>> by_fingerprint_;
  SteppedMap<boost::unordered_flat_map<std::string, SlotRuns>> by_partition_;
};

template <class Visit>
std::optional<SlotId> DocumentTable::visit_from(SlotId from, const std::optional<std::string>& partition,
                                                Visit visit) const {
  if (!partition) {
    for (SlotId slot = stored_.next(from); slot != no_slot; slot = stored_.next(slot + 1))
      if (!visit(slot)) return slot + 1;
    return std::nullopt;
  }
  for (auto slots = in_partition(*partition, from); !slots.empty(); slots = in_partition(*partition, slots.back() + 1))
    for (const SlotId slot : slots)
      if (!visit(slot)) return slot + 1;
  return std::nullopt;
}

[[gnu::always_inline]] inline Filable DocumentTable::filable(SlotId slot) const {
  const auto& document = slots_[slot];
  if (!document.stored || document.ttl < 0) return {};
  if (document.ttl == 0) return {Filing::by_ts, document.ts};
  return {Filing::by_deadline, document.ts + Seconds{document.ttl}};  // 64 bits: exact (X5)
}

}  // namespace mayfly::engine
