#include <algorithm>

#include "mayfly/props/defects/defective_store.hpp"
#include "prices.hpp"

// Collections and what a change of their settings does (T1, T2, W5, W6, F1-F3, I1-I3, C3).

namespace mayfly {

using defects::only;

namespace {

const Seconds* seconds_in(const DefaultTtl& default_ttl) { return std::get_if<Seconds>(&default_ttl); }

}  // namespace

DefectiveStore::Collection* DefectiveStore::find_unsettled(const std::string& name) {
  const auto found = collections_.find(collection_of(name));
  return found == collections_.end() ? nullptr : &found->second;
}

DefectiveStore::Collection* DefectiveStore::find(Instant now, const std::string& name) {
  Collection* collection = find_unsettled(name);
  if (collection) settle(now, *collection);
  return collection;
}

Outcome DefectiveStore::create_collection(Instant now, const std::string& name, const Definition& definition) {
  const auto settings = accepted_settings(definition, nullptr);
  if (!settings) return refuse(definition);
  if (Collection* old = find(now, name)) {
    if (is(Defect::conflicting_definition_stored)) redefine(now, *old, *settings);
    return only(is(Defect::collection_made_twice) ? Status::created : Status::conflict);
  }
  make(now, name, *settings);
  const bool is_there_again = deleted_collections_.contains(collection_of(name));
  return only(is(Defect::remade_collection_is_ok) && is_there_again ? Status::ok : Status::created);
}

void DefectiveStore::make(Instant now, const std::string& name, const Settings& settings) {
  Collection& made = collections_[collection_of(name)];
  made.settings = settings;
  made.off_since = now;
  made.had_default = !is_off(settings.default_ttl);
  made.was_made_off = is_off(settings.default_ttl);
  if (const auto* n = seconds_in(settings.default_ttl)) made.last_seconds = *n;
  if (is(Defect::deleted_collection_comes_back)) made.documents = std::move(deleted_collections_[collection_of(name)]);
}

// An invalid definition is judged first (C2): its default (T2), and whether that has an index (I1).
Outcome DefectiveStore::refuse(const Definition& definition) const {
  const bool is_for_default = !accepted_default(definition.default_ttl);
  if (is(Defect::default_unprocessable) && is_for_default) return only(defects::unprocessable);
  if (is(Defect::missing_index_unprocessable) && !is_for_default) return only(defects::unprocessable);
  return only(Status::bad_request);
}

Outcome DefectiveStore::replace_collection(Instant now, const std::string& name, const Definition& definition) {
  Collection* collection = find(now, name);
  const auto settings = accepted_settings(definition, collection);
  if (!settings) {
    const bool is_for_default = !accepted_default(definition.default_ttl);
    if (collection && is(Defect::rejected_default_stored) && is_for_default) {
      collection->settings.default_ttl = Never{};
      collection->settled.reset();
    }
    if (collection && is(Defect::index_dropped_by_rejection) && !is_for_default)
      collection->settings.indexing = Indexing::none;
    return refuse(definition);
  }
  if (!collection) {
    if (is(Defect::redefinition_creates)) make(now, name, *settings);
    return only(is(Defect::redefinition_creates) ? Status::created : Status::not_found);
  }
  const bool is_the_same = collection->settings == *settings;
  redefine(now, *collection, *settings);
  if (is(Defect::default_reaches_other_collections))
    for (auto& [other_name, other] : collections_) {
      other.settings.default_ttl = settings->default_ttl;
      other.settled.reset();
    }
  return only(is(Defect::same_definition_no_content) && is_the_same ? Status::no_content : Status::ok);
}

void DefectiveStore::redefine(Instant now, Collection& collection, const Settings& settings) {
  const Settings old = std::exchange(collection.settings, settings);
  if (is(Defect::default_below_sticks) && old.default_ttl == DefaultTtl{Seconds{-2}})
    collection.settings.default_ttl = old.default_ttl;
  if (old == collection.settings) return;
  collection.settled.reset();
  ++collection.changes;
  std::size_t place = 0;
  for (auto& [identity, document] : collection.documents) {
    const bool is_missed = (is(Defect::default_reaches_a_page) && place++ >= 256) ||
                           (is(Defect::changes_beyond_128_lost) && collection.changes > 128);
    if (is_missed && !document.missed_change) document.missed_change = old.default_ttl;
    redefine(now, collection, old, document);
  }
  collection.deleted_entries.clear();
  collection.rejected_entries.clear();
  if (old.default_ttl != settings.default_ttl) collection.default_since = now;
  collection.had_default |= !is_off(settings.default_ttl);
  if (const auto* n = seconds_in(settings.default_ttl)) collection.last_seconds = *n;
  if (!is_off(old.default_ttl) && is_off(settings.default_ttl)) collection.off_since = now;
  settle(now, collection);  // W5, F3
}

void DefectiveStore::redefine(Instant now, const Collection& collection, const Settings& old,
                              StoredDocument& document) const {
  const auto& [default_ttl, indexing] = collection.settings;
  document.indexed.reset();  // I3
  if (old.default_ttl == default_ttl) return;
  const auto* before = seconds_in(old.default_ttl);
  if (before && seconds_in(default_ttl)) document.previous_default = *before;
  if (is(Defect::default_change_sets_ts)) document.shown.ts = document.counts_from = now;
  const bool resets_ttl = (is(Defect::seconds_reset_own_ttl) && is_never(old.default_ttl) && seconds_in(default_ttl)) ||
                          (is(Defect::never_resets_own_ttl) && before && is_never(default_ttl));
  if (resets_ttl) document.shown.ttl = Inherit{};  // W6
  if (is(Defect::lazy_never_catches_up) && indexing == Indexing::lazy) document.is_lost_to_queries = true;
  if (revives(old.default_ttl, default_ttl)) document.expired = false;
  if (is_off(old.default_ttl)) switch_on(now, collection, document);
}

void DefectiveStore::switch_on(Instant now, const Collection& collection, StoredDocument& document) const {
  if (is(Defect::own_ttl_forgotten_after_off)) document.has_forgotten_ttl = true;
  if (is(Defect::off_restarts_countdowns)) document.counts_from = now;
  if (is(Defect::off_pauses_countdowns))
    document.counts_from += now - std::max(collection.off_since, document.shown.ts);
  if (is(Defect::passed_while_off_lives_on) && is_due(now, collection, document)) document.lives_on = true;
  if (is(Defect::query_not_rebuilt) && collection.settings.indexing == Indexing::consistent)
    document.is_lost_to_queries = true;
}

bool DefectiveStore::revives(const DefaultTtl& before, const DefaultTtl& after) const {
  if (is(Defect::revived_by_off)) return is_off(after);
  if (is(Defect::revived_by_never)) return is_never(after);
  if (!is(Defect::revived_by_longer_default)) return false;
  return seconds_in(before) && seconds_in(after) && *seconds_in(before) < *seconds_in(after);
}

Outcome DefectiveStore::read_collection(Instant, const std::string& name) {
  const Collection* collection = find_unsettled(name);
  if (!collection && !is(Defect::missing_collection_is_off)) return only(Status::not_found);
  Outcome outcome = only(Status::ok);
  if (!collection) return outcome;
  if (is(Defect::off_read_as_no_content) && is_off(collection->settings.default_ttl))
    outcome.status = Status::no_content;
  outcome.default_ttl = collection->settings.default_ttl;
  outcome.indexing = collection->settings.indexing;
  return outcome;
}

Outcome DefectiveStore::delete_collection(Instant now, const std::string& name) {
  Collection* collection = find(now, name);
  if (!collection) return only(is(Defect::missing_collection_dropped) ? Status::no_content : Status::not_found);
  deleted_collections_[collection_of(name)] = std::move(collection->documents);
  collections_.erase(collection_of(name));
  return only(is(Defect::drop_answers_ok) ? Status::ok : Status::no_content);
}

}  // namespace mayfly
