#include "mayfly/sim/engine/collection.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace mayfly::engine {

Instant Collection::watermark(Instant now) const {
  return default_ > 0 ? std::max(watermark_, now - Seconds{default_}) : watermark_;
}

bool Collection::is_expired(Instant now, const StoredDocument& document) const {
  if (document.ttl < 0) return false;
  if (document.ttl == 0) return document.ts <= watermark(now);
  return document.ts + Seconds{document.ttl} <= last_on(now);
}

void Collection::redefine(Instant now, TtlNumber default_ttl, Indexing indexing) {
  watermark_ = watermark(now);
  last_on_ = last_on(now);
  const bool changes = default_ttl != default_ || indexing != indexing_;
  if (changes && indexing == Indexing::lazy) lazy_.rebuild();  // I3
  default_ = default_ttl;
  indexing_ = indexing;
}

std::uint64_t Collection::would_expire(Instant now, TtlNumber default_ttl) const {
  Collection after(default_, indexing_);  // without documents: only what decides whether one is expired
  after.watermark_ = watermark_;
  after.last_on_ = last_on_;
  after.redefine(now, default_ttl, indexing_);
  std::uint64_t count = 0;
  walk(now, Sight::live, {}, 0, [&](const StoredDocument& document, bool) {
    count += after.is_expired(now, document) ? 1 : 0;
    return true;
  });
  return count;
}

SlotId Collection::find_live(Instant now, const DocumentKey& key) const {
  const SlotId slot = table_.find(key.partition, key.id);
  return slot == no_slot || is_expired(now, table_[slot]) ? no_slot : slot;
}

SlotId Collection::insert(Instant now, const DocumentKey& key, std::string_view value, TtlNumber ttl) {
  assert(find_live(now, key) == no_slot);
  SlotId slot = table_.find(key.partition, key.id);
  if (slot == no_slot) slot = table_.insert(key.partition, key.id);
  overwrite(now, slot, value, ttl);
  return slot;
}

void Collection::overwrite(Instant now, SlotId slot, std::string_view value, TtlNumber ttl) {
  auto& document = table_[slot];
  document.ts = now;
  document.value = value;
  document.ttl = ttl;
  expiry_.written(now, table_, slot);
  if (indexing_ == Indexing::lazy) lazy_.changed(slot);
}

void Collection::erase(SlotId slot) {
  table_.erase(slot);
  if (indexing_ == Indexing::lazy) lazy_.erased(slot);
}

std::uint64_t Collection::purge(Instant now, Budget budget) {
  if (!is_on()) return 0;
  const ExpiryIndex::Due due{.ts = watermark(now), .deadline = last_on(now)};
  std::uint64_t purged = 0;
  while (purged < budget.units && expiry_.has_due(due))
    purged += expiry_.purge(table_, due, {budget.units - purged}, [&](SlotId slot) { erase(slot); });
  return purged;
}

void Collection::index(Instant now, Budget budget) {
  if (indexing_ != Indexing::lazy) return;
  lazy_.take_in(
      budget, table_.slot_end(), [&](SlotId from) { return table_.next_stored(from); },
      [&](SlotId slot) { return table_[slot].stored && !is_expired(now, table_[slot]); });
}

// What is left out, and why no answer misses it:
//   - Watermark and last second on. Both only grow, and every write lifts its document above both: all that they say
//     today is which documents are expired, for good, which is written for each.
//   - The rest of an expired document. Nobody sees it, and it stays expired: what matters is that it holds its slot,
//     and when its turn comes in a purge.
//   - The expiry index. A few documents are purged in the order of their deadlines, those that inherit after the others
//     in that of `_ts`, and of slots within one second, whatever was written before; a test holds it to that.
//   - Fingerprints and the order within a partition: they decide how long a search takes and the order in which a query
//     shows documents, of which no rule speaks.
//   - A lazy index that is not in use: coming back to lazy rebuilds it (I3).
void Collection::encode(StateEncoder& state) const {
  assert(expiry_.is_in_order());
  state.number(static_cast<std::uint64_t>(std::int64_t{default_} + 1));
  state.number(static_cast<std::uint64_t>(indexing_));
  state.number(table_.slot_end());
  for (SlotId slot = 0; slot < table_.slot_end(); ++slot) encode_document(state, table_[slot]);
  table_.for_each_free([&](SlotId slot) { state.number(slot); });  // as many as slots that store nothing
  if (indexing_ == Indexing::lazy) lazy_.encode(state, table_.slot_end());
}

void Collection::encode_document(StateEncoder& state, const StoredDocument& document) const {
  if (!document.stored) return state.number(0);
  const bool is_live = !is_expired(state.now(), document);
  const bool inherits = document.ttl == 0;
  state.number(1U + (is_live ? 2U : 0U) + (inherits ? 4U : 0U));
  state.text(document.partition);
  state.text(document.id);
  if (!is_live) return inherits ? state.ts(document.ts) : state.deadline(document.ts + Seconds{document.ttl});
  state.text(document.value);
  state.number(static_cast<std::uint64_t>(std::int64_t{document.ttl} + 1));
  state.ts(document.ts);
}

void Collection::check_invariants() const {
  table_.check_invariants();
  lazy_.check_invariants(table_.slot_end());
  expiry_.check_invariants(table_);
}

}  // namespace mayfly::engine
