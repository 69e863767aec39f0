#include <algorithm>

#include "mayfly/props/defects/defective_store.hpp"
#include "prices.hpp"

// The background processes (P1-P5, I3, I4).

namespace mayfly {

using defects::nothing;
using defects::only;

Outcome DefectiveStore::purge(Instant now, Budget budget) {
  std::uint64_t purged = 0;
  for (auto& [name, collection] : collections_) {
    settle(now, collection);
    const bool is_off = std::holds_alternative<Off>(collection.settings.default_ttl);
    if (is_off && !is(Defect::purges_while_off)) continue;  // P3
    if (is(Defect::several_ranges_unpurged) && collection.documents.size() > 512) continue;
    std::uint64_t here = 0;
    std::optional<Instant> last;
    std::erase_if(collection.documents, [&, &among = collection](const auto& entry) {
      if (purged >= budget.units || !is_purgeable(now, among, entry.first, entry.second)) return false;
      if (is(Defect::purge_stops_one_short)) last = deadline_of(among, entry.second);
      ++here;
      if (leaves_tombstone(now, among, entry.second, purged == 0)) among.tombstones.insert(entry.first);
      ++purged;
      return true;
    });
    after_purge(collection, last, here, purged >= budget.units);
  }
  owed_ += static_cast<double>(purged);
  Outcome outcome = only(Status::ok, nothing);  // P2
  if (is(Defect::purge_charged)) outcome.charge->units = static_cast<double>(purged);
  if (is(Defect::mass_purge_charged) && purged > 1) outcome.charge->units = static_cast<double>(purged);
  const bool says_more = is(Defect::purge_says_more) && purged > 0 && purged < budget.units;
  outcome.purged = purged + (says_more ? 1 : 0);
  return outcome;
}

void DefectiveStore::after_purge(Collection& collection, std::optional<Instant> last, std::uint64_t purged,
                                 bool is_out_of_budget) {
  auto& documents = collection.documents;
  if (is(Defect::purge_stops_one_short) && is_out_of_budget && last) {
    const auto is_of_that_second = [&](const auto& entry) { return deadline_of(collection, entry.second) == last; };
    const auto left = static_cast<std::uint64_t>(std::count_if(documents.begin(), documents.end(), is_of_that_second));
    for (auto& entry : documents)
      entry.second.is_unpurgeable |= left > 0 && left + purged > 127 && is_of_that_second(entry);
  }
  if (!is(Defect::purge_takes_one_more) || purged < 100) return;
  const auto live =
      std::find_if(documents.begin(), documents.end(), [](const auto& entry) { return !entry.second.expired; });
  if (live != documents.end()) documents.erase(live);
}

bool DefectiveStore::is_purgeable(Instant now, Collection& collection, const Identity& identity,
                                  const StoredDocument& document) const {
  const bool inherits = std::holds_alternative<Inherit>(document.shown.ttl);
  if (is(Defect::purges_early) && is_due(now + Seconds{1}, collection, document)) return true;
  if (is(Defect::purges_the_living) && collection.settings.default_ttl == DefaultTtl{Never{}} && inherits) return true;
  if (is(Defect::purge_skips_inheriting) && inherits) return false;
  if (document.is_unpurgeable) return false;
  const auto timer = collection.timers.find(identity);
  if (is(Defect::stale_timer) && timer != collection.timers.end() && timer->second <= now) {
    collection.timers.erase(timer);
    return true;
  }
  return document.expired;  // P4, P5
}

bool DefectiveStore::leaves_tombstone(Instant now, const Collection& collection, const StoredDocument& document,
                                      bool is_first) const {
  const auto deadline = deadline_of(collection, document);
  if (is(Defect::tombstone_after_late_purge)) return !deadline || *deadline < now;
  if (is(Defect::tombstone_of_the_first)) return is_first;
  return is(Defect::tombstone_after_purge);  // P1
}

Outcome DefectiveStore::index(Instant now, const std::string& name, Budget budget) {
  Collection* collection = find(now, name);
  if (!collection) return only(Status::not_found, nothing);
  if (collection->settings.indexing != Indexing::lazy) return only(Status::ok, nothing);
  if (budget.units > 0) collection->deleted_entries.clear();
  if (budget.units > 0) collection->rejected_entries.clear();
  for (auto& [identity, document] : collection->documents) {
    if (budget.units == 0) break;
    const bool is_behind = is(Defect::lazy_stays_a_write_behind) && document.previous;
    const Document& taken_in = is_behind ? *document.previous : document.shown;
    if (document.expired || document.indexed == taken_in) continue;
    document.indexed = taken_in;
    --budget.units;
  }
  return only(Status::ok, nothing);  // I4
}

Outcome DefectiveStore::held(Instant) const {
  Outcome outcome = only(Status::ok, nothing);
  auto& held = outcome.held.emplace(0);
  for (const auto& [name, collection] : collections_) held += collection.documents.size() + collection.kept_entries;
  return outcome;
}

}  // namespace mayfly
