#include <algorithm>
#include <iterator>

#include "mayfly/props/defects/defective_store.hpp"
#include "prices.hpp"

// Documents by identity and by query (X2, W2, I2-I6, C1, C2).

namespace mayfly {

using defects::only;

DefectiveStore::StoredDocument* DefectiveStore::find_stored(Collection* collection, const DocumentKey& key) const {
  if (!collection) return nullptr;
  const auto found = collection->documents.find(identity_of(key));
  return found == collection->documents.end() ? nullptr : &found->second;
}

DefectiveStore::StoredDocument* DefectiveStore::find_live(Collection* collection, const DocumentKey& key,
                                                          bool or_ghost) const {
  StoredDocument* document = find_stored(collection, key);
  return document && (or_ghost || !document->expired) ? document : nullptr;  // X2
}

Outcome DefectiveStore::read(Instant now, const DocumentKey& key) {
  Collection* collection = find(now, key.collection);
  const bool shows_ghosts = is(Defect::ghosts_readable) || is(Defect::only_the_value_expires);
  StoredDocument* document = find_live(collection, key, shows_ghosts);
  if (!document) return read_nothing(collection, key);
  const Indexing indexing = collection->settings.indexing;
  const bool is_lazy = indexing == Indexing::lazy;
  if (is(Defect::reads_through_lazy_index) && is_lazy && !document->indexed) return only(Status::not_found);
  if (is(Defect::reads_need_an_index) && indexing == Indexing::none) return only(Status::not_found);
  Outcome outcome = only(Status::ok);
  if (is(Defect::purge_charged_to_next_read)) outcome.charge->units += std::exchange(owed_, 0);
  if (is(Defect::empty_read_is_no_content) && document->shown.value.empty()) outcome.status = Status::no_content;
  outcome.document = shown(now, *collection, *document);
  const bool is_off = std::holds_alternative<Off>(collection->settings.default_ttl);
  if (is(Defect::ttl_hidden_while_off) && is_off) outcome.document->ttl = Inherit{};
  if (is(Defect::read_touches)) document->shown.ts = document->counts_from = now;
  return outcome;
}

Document DefectiveStore::shown(Instant now, const Collection& collection, const StoredDocument& document) const {
  Document shown = document.shown;
  if (is(Defect::only_the_value_expires) && document.expired) shown.value.clear();
  if (is(Defect::value_expires_alone) && is_value_due(now, collection, document)) shown.value.clear();
  if (is(Defect::value_goes_first) && deadline_of(collection, document) == now + Seconds{1}) shown.value.clear();
  return shown;
}

// What is not there (C2), and what went with its collection (C3).
Outcome DefectiveStore::read_nothing(Collection* collection, const DocumentKey& key) const {
  const bool was_ever_there = !collection || find_stored(collection, key);
  if (is(Defect::nothing_readable) && !was_ever_there) return only(Status::no_content);
  const bool has_expired = collection && collection->expired_identities.contains(identity_of(key));
  if (is(Defect::expired_read_is_dearer) && has_expired) return only(Status::not_found, {2});
  const auto deleted = deleted_collections_.find(collection_of(key.collection));
  if (!is(Defect::deleted_collection_readable) || collection || deleted == deleted_collections_.end())
    return only(Status::not_found);
  const auto document = deleted->second.find(identity_of(key));
  if (document == deleted->second.end() || document->second.expired) return only(Status::not_found);
  Outcome outcome = only(Status::ok);
  outcome.document = document->second.shown;
  return outcome;
}

Outcome DefectiveStore::erase(Instant now, const DocumentKey& key) {
  Collection* collection = find(now, key.collection);
  if (!collection) return only(Status::not_found);
  const StoredDocument* document = find_live(collection, key, is(Defect::ghosts_deletable));
  if (!document) {
    const bool is_taken_for_done = is(Defect::nothing_deletable) && !find_stored(collection, key);
    return only(is_taken_for_done ? Status::no_content : Status::not_found);
  }
  if (const auto deadline = deadline_of(*collection, *document)) collection->timers[identity_of(key)] = *deadline;
  if (document->indexed) collection->deleted_entries.push_back(*document->indexed);
  collection->documents.erase(identity_of(key));
  ++collection->times_deleted[identity_of(key)];
  if (++collection->deletes >= 128 && is(Defect::deleted_entries_stay)) ++collection->kept_entries;
  return only(is(Defect::delete_answers_ok) ? Status::ok : Status::no_content, defects::write_price);
}

Outcome DefectiveStore::query(Instant now, const std::string& name, const std::optional<std::string>& partition) {
  Collection* collection = find(now, name);
  if (!collection && is(Defect::missing_collection_is_empty))
    return {.status = Status::ok, .documents = std::vector<Document>(), .charge = defects::query_price};
  if (!collection) return only(Status::not_found);
  const auto indexing = collection->settings.indexing;
  if (indexing == Indexing::none && !is(Defect::query_without_index)) return only(Status::bad_request);  // I6
  Outcome outcome = only(Status::ok, defects::query_price);
  if (is(Defect::purge_charged_to_next_query)) outcome.charge->units += std::exchange(owed_, 0);
  if (is(Defect::expired_make_queries_dearer)) outcome.charge->units += collection->ever_expired;
  auto& documents = outcome.documents.emplace();
  const auto is_asked_for = [&](const Document& document) { return !partition || is_of(*partition, document); };
  for (auto& [identity, document] : collection->documents) {
    if (!is_asked_for(document.shown) || !is_in_queries(now, *collection, document)) continue;
    if (is(Defect::query_shows_a_page) && documents.size() == 100) break;
    documents.push_back(indexing == Indexing::lazy ? *document.indexed : shown(now, *collection, document));
    if (is(Defect::query_touches)) document.counts_from = now;
  }
  if (indexing != Indexing::lazy) return outcome;
  if (is(Defect::lazy_shows_deleted))
    std::copy_if(collection->deleted_entries.begin(), collection->deleted_entries.end(), std::back_inserter(documents),
                 is_asked_for);
  if (is(Defect::lazy_shows_rejected))
    std::copy_if(collection->rejected_entries.begin(), collection->rejected_entries.end(),
                 std::back_inserter(documents), is_asked_for);
  return outcome;
}

Outcome DefectiveStore::count(Instant now, const std::string& name, const std::optional<std::string>& partition) {
  Collection* collection = find(now, name);
  if (!collection) return only(Status::not_found);
  const auto indexing = collection->settings.indexing;
  if (indexing == Indexing::none && !is(Defect::count_without_index)) return only(Status::bad_request);  // I6
  Outcome outcome = only(Status::ok, defects::query_price);
  auto& count = outcome.count.emplace(0);
  for (const auto& [identity, document] : collection->documents) {
    const bool is_known = indexing != Indexing::lazy || document.indexed;   // I3
    const bool is_there = !document.expired || is(Defect::ghosts_counted);  // X2
    count += is_known && is_there && (!partition || *partition == document.shown.partition) ? 1 : 0;
  }
  return outcome;
}

bool DefectiveStore::is_in_queries(Instant now, const Collection& collection, const StoredDocument& document) const {
  const bool is_lazy = collection.settings.indexing == Indexing::lazy;
  if (document.is_lost_to_queries || (is_lazy && !document.indexed)) return false;  // I2, I3
  if (is(Defect::view_keeps_removed_ttl) && document.view_ends && *document.view_ends <= now) return false;
  if (!document.expired) return true;
  return is(Defect::ghosts_in_queries) || (is_lazy && is(Defect::lazy_shows_expired));  // X2
}

}  // namespace mayfly
