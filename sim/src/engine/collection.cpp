#include "mayfly/sim/engine/collection.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include <boost/container/small_vector.hpp>

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
  expiry_.erased(table_, slot);
  if (indexing_ == Indexing::lazy) lazy_.erased(slot);
}

std::uint64_t Collection::purge(Instant now, Budget budget) {
  if (!is_on()) return 0;
  return expiry_.purge(table_, {.ts = watermark(now), .deadline = last_on(now)}, budget,
                       [&](SlotId slot) { erase(slot); });
}

void Collection::index(Instant now, Budget budget) {
  if (indexing_ != Indexing::lazy) return;
  lazy_.take_in(
      budget, table_.slot_end(), [&](SlotId from) { return table_.next_stored(from); },
      [&](SlotId slot) { return table_[slot].stored && !is_expired(now, table_[slot]); });
}

// What is left out, and why no answer misses it:
//   - Watermark and last second on. Both only grow, and every write lifts its document above both: all that they say
//     today is which documents are expired, for good, and which entries are due, which is written for each.
//   - The rest of an expired document. Nobody sees it, and it stays expired: what matters is that it holds its slot,
//     and when the purger looks at it.
//   - Stale entries of the expiry index. A visit drops them unseen; one that equals a valid entry, because its document
//     was filed there again, is visited after it and finds the document gone or filed elsewhere.
//   - Where the wheels keep their entries. Those of a small store come out in the order of their seconds, first in
//     first out within one, wherever that is; a test holds them to it. Only a deadline 17 years ahead is filed early,
//     by where the cursor stands, and a step of 17 years parks entries: scopes with such a ttl or step are searched,
//     but their proof has this gap.
//   - Fingerprints and the order within a partition: they decide how long a search takes and the order in which a query
//     shows documents, of which no rule speaks.
//   - A lazy index that is not in use: coming back to lazy rebuilds it (I3).
void Collection::encode(StateEncoder& state) const {
  state.number(static_cast<std::uint64_t>(std::int64_t{default_} + 1));
  state.number(static_cast<std::uint64_t>(indexing_));
  state.number(table_.slot_end());
  for (SlotId slot = 0; slot < table_.slot_end(); ++slot) encode_document(state, table_[slot]);
  for (const SlotId slot : table_.free_slots()) state.number(slot);  // as many as slots that store nothing
  encode_ties(state);
  if (indexing_ == Indexing::lazy) lazy_.encode(state, table_.slot_end());
}

void Collection::encode_document(StateEncoder& state, const StoredDocument& document) const {
  if (!document.stored) return state.number(0);
  const bool is_live = !is_expired(state.now(), document);
  const Filing by = document.filed.by();
  const Instant filed_at = expiry_.wheel(by).second_of(document.filed.near);
  const bool is_due = by == Filing::by_ts && filed_at <= watermark(state.now());
  state.number(1U + (is_live ? 2U : 0U) + (is_due ? 4U : 0U) + 8U * static_cast<unsigned>(by));
  state.text(document.partition);
  state.text(document.id);
  if (by == Filing::by_ts) state.ts(filed_at);
  if (by == Filing::by_deadline) state.deadline(filed_at);
  if (!is_live) return;
  state.text(document.value);
  state.number(static_cast<std::uint64_t>(std::int64_t{document.ttl} + 1));
  state.ts(document.ts);
}

// Documents that are filed at the same second are visited in the order of their entries. An entry that is there twice
// is stale after its first visit.
void Collection::encode_ties(StateEncoder& state) const {
  for (SlotId slot = 0; slot < table_.slot_end(); ++slot) {
    const Filed& filed = table_.filed(slot);
    if (filed.by() == Filing::nowhere || !is_first_of_several(slot)) continue;
    boost::container::small_vector<SlotId, 16> shown;
    expiry_.wheel(filed.by()).for_each([&](Entry entry) {
      if (entry.key != filed.near || table_.filed(entry.slot) != filed) return;
      if (std::find(shown.begin(), shown.end(), entry.slot) == shown.end()) shown.push_back(entry.slot);
    });
    for (const SlotId next : shown) state.number(next + 1);
  }
  state.number(0);
}

bool Collection::is_first_of_several(SlotId slot) const {
  for (SlotId before = 0; before < slot; ++before)
    if (table_.filed(before) == table_.filed(slot)) return false;
  for (SlotId after = slot + 1; after < table_.slot_end(); ++after)
    if (table_.filed(after) == table_.filed(slot)) return true;
  return false;
}

void Collection::check_invariants() const {
  table_.check_invariants();
  lazy_.check_invariants(table_.slot_end());
  expiry_.check_invariants(table_);
}

}  // namespace mayfly::engine
