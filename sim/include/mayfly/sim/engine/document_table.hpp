#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/container/deque.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "mayfly/model/time.hpp"
#include "mayfly/sim/engine/filed.hpp"
#include "mayfly/sim/engine/slot_runs.hpp"
#include "mayfly/sim/engine/slot_set.hpp"

// The documents of one collection, in slots. A slot's number stays the document's for as long as it is stored, and is
// what the indexes hold: documents are found through a map from the fingerprint of their key to their slot, whose
// elements move when it grows.

namespace mayfly::engine {

// What the indexes look at comes first, and shares a cache line with the id.
struct alignas(64) StoredDocument {
  Instant ts{};
  Filed filed;
  std::int32_t ttl = 0;  ///< 0 inherits, -1 never, or seconds
  SlotId same_fingerprint = no_slot;
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

  std::size_t size() const { return slots_.size() - free_.size(); }

  /// The slots that store nothing, the next to be taken last.
  std::span<const SlotId> free_slots() const { return free_; }

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
  // A deque in blocks: growing by one document never moves a million others, and slots are found by a shift. Boost's
  // own allocator knows nothing of a document's alignment.
  boost::container::deque<StoredDocument, std::allocator<StoredDocument>,
                          boost::container::deque_options_t<boost::container::block_size<32>>>
      slots_;
  std::vector<SlotId> free_;
  SlotSet stored_;
  boost::unordered_flat_map<std::uint64_t, SlotId, Unchanged> by_fingerprint_;
  boost::unordered_flat_map<std::string, SlotRuns> by_partition_;
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
