#include "mayfly/sim/engine/document_table.hpp"

#include <cassert>

#include <boost/align/is_aligned.hpp>
#include <boost/container_hash/hash.hpp>

namespace mayfly::engine {

std::uint64_t DocumentTable::fingerprint(std::string_view partition, std::string_view id) const {
  std::size_t seed = boost::hash_range(partition.begin(), partition.end());
  boost::hash_combine(seed, boost::hash_range(id.begin(), id.end()));
  return seed & mask_;
}

SlotId DocumentTable::find(std::string_view partition, std::string_view id) const {
  const SlotId* const found = by_fingerprint_.find(fingerprint(partition, id));
  if (!found) return no_slot;
  SlotId slot = *found;
  while (slot != no_slot && !(slots_[slot].id == id && slots_[slot].partition == partition)) slot = slots_[slot].next;
  return slot;
}

SlotId DocumentTable::insert(std::string_view partition, std::string_view id) {
  assert(find(partition, id) == no_slot);
  const SlotId slot = take_slot();
  auto& document = slots_[slot];
  document.partition = partition;
  document.id = id;
  document.stored = true;
  const auto [first, is_new] = by_fingerprint_.try_emplace(fingerprint(partition, id), slot);
  if (!is_new) document.next = std::exchange(*first, slot);
  by_partition_.try_emplace(document.partition).first->insert(slot);
  stored_.insert(slot);
  ++size_;
  return slot;
}

SlotId DocumentTable::take_slot() {
  if (free_ == no_slot) {
    assert(slots_.size() < no_slot);
    slots_.emplace_back();
    return static_cast<SlotId>(slots_.size() - 1);
  }
  const SlotId slot = free_;
  free_ = std::exchange(slots_[slot].next, no_slot);
  return slot;
}

void DocumentTable::erase(SlotId slot) {
  assert(slots_[slot].stored);
  unlink(slot);
  SlotRuns* const neighbours = by_partition_.find(slots_[slot].partition);
  neighbours->erase(slot);
  if (neighbours->empty()) by_partition_.erase(slots_[slot].partition);
  stored_.erase(slot);
  --size_;
  // Its entries are still in the expiry index.
  slots_[slot] = StoredDocument{.filed = slots_[slot].filed, .next = std::exchange(free_, slot)};
}

void DocumentTable::unlink(SlotId slot) {
  const auto& document = slots_[slot];
  const std::uint64_t print = fingerprint(document.partition, document.id);
  SlotId* link = by_fingerprint_.find(print);
  if (*link == slot && document.next == no_slot) return by_fingerprint_.erase(print);
  while (*link != slot) link = &slots_[*link].next;
  *link = document.next;
}

std::span<const SlotId> DocumentTable::in_partition(const std::string& partition, SlotId from) const {
  const SlotRuns* const found = by_partition_.find(partition);
  return found ? found->from(from) : std::span<const SlotId>();
}

std::size_t DocumentTable::size_of(const std::string& partition) const {
  const SlotRuns* const found = by_partition_.find(partition);
  return found ? found->size() : 0;
}

void DocumentTable::check_invariants() const {
  std::size_t stored = 0;
  for (SlotId slot = 0; slot < slot_end(); ++slot) {
    const auto& document = slots_[slot];
    assert(boost::alignment::is_aligned(&document, alignof(StoredDocument)));
    assert((next_stored(slot) == slot) == document.stored);
    if (!document.stored) continue;
    ++stored;
    assert(find(document.partition, document.id) == slot);
    assert(in_partition(document.partition, slot).front() == slot);
  }
  assert(stored == size());
  std::size_t in_partitions = 0;
  by_partition_.for_each([&](const std::string&, const SlotRuns& slots) {
    assert(!slots.empty());
    in_partitions += slots.size();
  });
  assert(in_partitions == stored);
  std::size_t in_chains = 0;
  by_fingerprint_.for_each([&](std::uint64_t, SlotId first) {
    for (SlotId slot = first; slot != no_slot; slot = slots_[slot].next) ++in_chains;
  });
  assert(in_chains == stored);
  std::size_t free = 0;
  for_each_free([&](SlotId slot) {
    assert(!slots_[slot].stored);
    ++free;
  });
  assert(stored + free == slot_end());
}

}  // namespace mayfly::engine
