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
  lazy_.take_in(budget, table_.slot_end(),
                [&](SlotId slot) { return table_[slot].stored && !is_expired(now, table_[slot]); });
}

// What is left out, and why no answer misses it:
//   - Watermark and last second on. Both only grow, and every write lifts its document above both: all that their values
//     of today say is which documents are expired now, for good, and which entries are due, which is written for each.
//   - The rest of an expired document. Nobody sees it, and it stays expired: what matters is that it holds its slot, and
//     when the purger looks at it.
//   - Stale entries of the expiry index. A visit drops them unseen; one that equals a valid entry, because its document
//     was filed there again, is visited after it and finds the document gone or filed elsewhere.
//   - Where the wheels keep their entries. They take them out in the order of their seconds, first in first out within
//     one, wherever that is; a test holds them to it. Sweeps, which break that order, take more entries than any state
//     of a small scope is led to.
//   - Fingerprints and the order within a partition: they decide how long a search takes and the order in which a query
//     shows documents, of which no rule speaks.
//   - A lazy index that is not in use: coming back to lazy rebuilds it (I3).
void Collection::encode(StateEncoder& state) const {
  state.number(static_cast<std::uint64_t>(std::int64_t{default_} + 1));
  state.number(static_cast<std::uint64_t>(indexing_));
  state.number(table_.slot_end());
  for (SlotId slot = 0; slot < table_.slot_end(); ++slot) encode_document(state, table_[slot]);
  for (const SlotId slot : table_.free_slots()) state.number(slot);  // as many as slots that store nothing
  encode_entries(state, Filing::by_ts);
  encode_entries(state, Filing::by_deadline);
  if (indexing_ == Indexing::lazy) lazy_.encode(state, table_.slot_end());
}

void Collection::encode_document(StateEncoder& state, const StoredDocument& document) const {
  if (!document.stored) return state.number(0);
  const bool is_live = !is_expired(state.now(), document);
  state.number(is_live ? 2 : 1);
  state.text(document.partition);
  state.text(document.id);
  if (!is_live) return;
  state.text(document.value);
  state.number(static_cast<std::uint64_t>(std::int64_t{document.ttl} + 1));
  state.ts(document.ts);
}

// In the order in which they will be visited.
void Collection::encode_entries(StateEncoder& state, Filing by) const {
  const auto& wheel = expiry_.wheel(by);
  boost::container::small_vector<std::pair<Instant, SlotId>, 16> entries;
  wheel.for_each([&](ExpiryWheel::Entry entry) {
    const Filed& filed = table_[entry.slot].filed;
    if (filed.by() != by || filed.near != entry.key) return;
    const std::pair valid{wheel.second_of(entry), entry.slot};
    if (std::find(entries.begin(), entries.end(), valid) != entries.end()) return;
    const auto is_earlier = [](const auto& a, const auto& b) { return a.first < b.first; };
    entries.insert(std::upper_bound(entries.begin(), entries.end(), valid, is_earlier), valid);
  });
  for (const auto& [second, slot] : entries) {
    state.number(by == Filing::by_ts && second <= watermark(state.now()) ? 2 : 1);  // due or not
    state.number(slot);
    by == Filing::by_ts ? state.ts(second) : state.deadline(second);
  }
  state.number(0);
}

void Collection::check_invariants() const {
  table_.check_invariants();
  lazy_.check_invariants(table_.slot_end());
  expiry_.check_invariants(table_);
}

}  // namespace mayfly::engine
