#include "mayfly/sim/engine/collection.hpp"

#include <algorithm>
#include <cassert>

namespace mayfly::engine {

namespace {

/// What the document is filed by, and the second it must not be filed after.
std::pair<Filing, Instant> place_of(const StoredDocument& document) {
  if (document.ttl == 0) return {Filing::by_ts, document.ts};
  if (document.ttl > 0) return {Filing::by_deadline, document.ts + Seconds{document.ttl}};  // 64 bits: exact (X5)
  return {Filing::nowhere, {}};
}

}  // namespace

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
  file(slot);
  if (indexing_ == Indexing::lazy) lazy_.changed(slot);
}

void Collection::erase(SlotId slot) {
  table_.erase(slot);
  if (indexing_ == Indexing::lazy) lazy_.erased(slot);
}

void Collection::file(SlotId slot) {
  auto& document = table_[slot];
  const auto [filing, second] = place_of(document);
  if (filing == document.filing && document.filed_at <= second) return;
  document.filing = filing;
  document.filed_at = second;
  if (filing == Filing::nowhere) return;
  entries(filing).file(second, slot);
  compact_if_stale();
}

// Writes that keep moving a document to an earlier second leave stale entries behind. Starting over when they are the
// majority bounds the memory, at a constant number of steps on average for each write that left one.
void Collection::compact_if_stale() {
  if (by_ts_.size() + by_deadline_.size() <= 3 * table_.slot_end() + stale_slack) return;
  by_ts_.clear();
  by_deadline_.clear();
  for (SlotId slot = 0; slot < table_.slot_end(); ++slot) {
    const auto& document = table_[slot];
    if (document.filing != Filing::nowhere) entries(document.filing).file(document.filed_at, slot);
  }
}

std::uint64_t Collection::purge(Instant now, Budget budget) {
  if (!is_on()) return 0;
  const std::uint64_t own = purge_from(Filing::by_deadline, now, last_on(now), budget);
  return own + purge_from(Filing::by_ts, now, watermark(now), {budget.units - own});
}

std::uint64_t Collection::purge_from(Filing filing, Instant now, Instant until, Budget budget) {
  std::uint64_t purged = 0;
  boost::container::small_vector<SlotId, 16> later;  // filed again in the end: a visit meets every document once
  while (purged < budget.units) {
    const auto entry = entries(filing).take_due(until);
    if (!entry) break;
    auto& document = table_[entry->slot];
    if (document.filing != filing || document.filed_at != entry->second) continue;  // stale
    document.filing = Filing::nowhere;                                              // the entry is out
    if (!is_expired(now, document)) {
      later.push_back(entry->slot);
      continue;
    }
    erase(entry->slot);
    ++purged;
  }
  for (const SlotId slot : later) file(slot);
  return purged;
}

void Collection::index(Instant now, Budget budget) {
  if (indexing_ != Indexing::lazy) return;
  lazy_.take_in(budget, table_.slot_end(),
                [&](SlotId slot) { return table_[slot].stored && !is_expired(now, table_[slot]); });
}

// What is left out, and why no answer misses it:
//   - Watermark and last second on. Both only grow, and every write lifts its document above both: all that their
//   values
//     of today say is which documents are expired now, for good, and which entries are due, which is written for each.
//   - The rest of an expired document. Nobody sees it, and it stays expired: what matters is that it holds its slot,
//   and
//     when the purger looks at it.
//   - Stale entries of the expiry index. A visit drops them unseen; one that equals a valid entry, because its document
//     was filed there again, is visited after it and finds the document gone or filed elsewhere.
//   - Fingerprints and the order within a partition: they decide how long a search takes and the order in which a query
//     shows documents, of which no rule speaks.
//   - A lazy index that is not in use: coming back to lazy rebuilds it (I3).
void Collection::encode(StateEncoder& state) const {
  state.number(static_cast<std::uint64_t>(std::int64_t{default_} + 1));
  state.number(static_cast<std::uint64_t>(indexing_));
  state.number(table_.slot_end());
  for (SlotId slot = 0; slot < table_.slot_end(); ++slot) encode_document(state, table_[slot]);
  for (const SlotId slot : table_.free_slots()) state.number(slot);  // as many as slots that store nothing
  if (indexing_ == Indexing::lazy) lazy_.encode(state, table_.slot_end());
}

void Collection::encode_document(StateEncoder& state, const StoredDocument& document) const {
  if (!document.stored) return state.number(0);
  const bool is_live = !is_expired(state.now(), document);
  const bool is_due = document.filing == Filing::by_ts && document.filed_at <= watermark(state.now());
  state.number(1U + (is_live ? 2U : 0U) + (is_due ? 4U : 0U) + 8U * static_cast<unsigned>(document.filing));
  state.text(document.partition);
  state.text(document.id);
  if (document.filing == Filing::by_ts) state.ts(document.filed_at);
  if (document.filing == Filing::by_deadline) state.deadline(document.filed_at);
  if (!is_live) return;
  state.text(document.value);
  state.number(static_cast<std::uint64_t>(std::int64_t{document.ttl} + 1));
  state.ts(document.ts);
}

void Collection::check_invariants() const {
  table_.check_invariants();
  lazy_.check_invariants(table_.slot_end());
  assert(by_ts_.size() + by_deadline_.size() <= 3 * table_.slot_end() + stale_slack + 1);
  for (SlotId slot = 0; slot < table_.slot_end(); ++slot) {
    const auto& document = table_[slot];
    if (!document.stored) continue;
    const auto [filing, second] = place_of(document);
    assert(document.filing == filing);
    if (filing == Filing::nowhere) continue;
    assert(document.filed_at <= second);
    assert((filing == Filing::by_ts ? by_ts_ : by_deadline_).contains({document.filed_at, slot}));
  }
}

}  // namespace mayfly::engine
