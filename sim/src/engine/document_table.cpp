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
  const auto found = by_fingerprint_.find(fingerprint(partition, id));
  if (found == by_fingerprint_.end()) return no_slot;
  SlotId slot = found->second;
  while (slot != no_slot && !(slots_[slot].id == id && slots_[slot].partition == partition))
    slot = slots_[slot].same_fingerprint;
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
  if (!is_new) document.same_fingerprint = std::exchange(first->second, slot);
  by_partition_[document.partition].insert(slot);
  stored_.insert(slot);
  return slot;
}

SlotId DocumentTable::take_slot() {
  if (free_.empty()) {
    assert(slots_.size() < no_slot);
    slots_.emplace_back();
    return static_cast<SlotId>(slots_.size() - 1);
  }
  const SlotId slot = free_.back();
  free_.pop_back();
  return slot;
}

void DocumentTable::erase(SlotId slot) {
  assert(slots_[slot].stored);
  unlink(slot);
  const auto neighbours = by_partition_.find(slots_[slot].partition);
  neighbours->second.erase(slot);
  if (neighbours->second.empty()) by_partition_.erase(neighbours);
  stored_.erase(slot);
  slots_[slot] = StoredDocument{.filed = slots_[slot].filed};  // its entries are still in the expiry index
  free_.push_back(slot);
}

void DocumentTable::unlink(SlotId slot) {
  const auto& document = slots_[slot];
  const auto first = by_fingerprint_.find(fingerprint(document.partition, document.id));
  if (first->second == slot && document.same_fingerprint == no_slot) {
    by_fingerprint_.erase(first);
    return;
  }
  SlotId* link = &first->second;
  while (*link != slot) link = &slots_[*link].same_fingerprint;
  *link = document.same_fingerprint;
}

std::span<const SlotId> DocumentTable::in_partition(const std::string& partition, SlotId from) const {
  const auto found = by_partition_.find(partition);
  return found == by_partition_.end() ? std::span<const SlotId>() : found->second.from(from);
}

std::size_t DocumentTable::size_of(const std::string& partition) const {
  const auto found = by_partition_.find(partition);
  return found == by_partition_.end() ? 0 : found->second.size();
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
  for (const auto& [partition, slots] : by_partition_) {
    assert(!slots.empty());
    in_partitions += slots.size();
  }
  assert(in_partitions == stored);
  std::size_t in_chains = 0;
  for (const auto& [print, first] : by_fingerprint_)
    for (SlotId slot = first; slot != no_slot; slot = slots_[slot].same_fingerprint) ++in_chains;
  assert(in_chains == stored);
  for ([[maybe_unused]] const SlotId slot : free_) assert(!slots_[slot].stored);
}

}  // namespace mayfly::engine
