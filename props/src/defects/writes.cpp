#include <algorithm>

#include "mayfly/props/defects/defective_store.hpp"
#include "names.hpp"
#include "prices.hpp"

// Writes (T3-T5, X3, W1-W4, R1, R2, C2).

namespace mayfly {

using defects::only;
using defects::write_price;

Outcome DefectiveStore::create(Instant now, const DocumentKey& key, const Content& content) {
  Collection* collection = find(now, key.collection);
  const auto ttl = accepted_ttl(content.ttl, collection);
  if (!ttl) return refuse(now, key, content, Write::create);
  if (!collection) return only(Status::not_found);
  StoredDocument* live = find_live(collection, key, is(Defect::ghosts_conflict));
  if (live && !is(Defect::create_overwrites)) {
    if (is(Defect::rejected_create_touches)) live->shown.ts = live->counts_from = now;
    return only(Status::conflict);
  }
  if (is_taken(*collection, key)) return only(Status::conflict);
  const Status status = is(Defect::create_answers_ok) ? Status::ok : Status::created;
  return store(now, *collection, key, content, *ttl, Write::create, status);
}

// What looks taken though no live document has the identity (X3, P1, C1).
bool DefectiveStore::is_taken(Collection& collection, const DocumentKey& key) {
  if (collection.tombstones.contains(identity_of(key))) return true;
  if (is(Defect::deleted_too_often) && collection.times_deleted[identity_of(key)] >= 128) return true;
  if (!is(Defect::id_shared_between_collections)) return false;
  for (auto& [name, other] : collections_)
    if (find_live(&other, key)) return true;
  return false;
}

Outcome DefectiveStore::replace(Instant now, const DocumentKey& key, const Content& content) {
  Collection* collection = find(now, key.collection);
  const auto ttl = accepted_ttl(content.ttl, collection);
  if (!ttl) return refuse(now, key, content, Write::replace);
  const StoredDocument* live = find_live(collection, key, is(Defect::ghosts_replaceable));
  const bool is_allowed = live || (collection && is(Defect::replace_creates));
  if (!is_allowed) return only(Status::not_found);
  const Status status = is(Defect::replace_answers_no_content) ? Status::no_content : Status::ok;
  return store(now, *collection, key, content, *ttl, Write::replace, status);
}

Outcome DefectiveStore::upsert(Instant now, const DocumentKey& key, const Content& content) {
  Collection* collection = find(now, key.collection);
  const auto ttl = accepted_ttl(content.ttl, collection);
  if (!ttl) return refuse(now, key, content, Write::upsert);
  if (!collection) return only(Status::not_found);
  const bool is_there = find_live(collection, key, is(Defect::ghosts_upserted_over)) != nullptr;
  const bool is_taken_for_old = is(Defect::upsert_never_created) && !find_stored(collection, key);
  if (is(Defect::upsert_with_ttl_fails) && is_there && !std::holds_alternative<Inherit>(*ttl))
    return only(defects::internal_error);
  const bool is_new = (!is_there && !is_taken_for_old) || is(Defect::upsert_always_created);
  return store(now, *collection, key, content, *ttl, Write::upsert, is_new ? Status::created : Status::ok);
}

Outcome DefectiveStore::patch(Instant now, const DocumentKey& key, const Patch& patch) {
  Collection* collection = find(now, key.collection);
  const bool names_ttl = !std::holds_alternative<Absent>(patch.ttl);
  const auto named = accepted_ttl(patch.ttl, collection);
  const bool names_something = names_ttl || patch.remove_ttl || patch.value || is(Defect::empty_patch_accepted);
  if (!named || !names_something || (names_ttl && patch.remove_ttl))
    return refuse(now, key, {.ttl = patch.ttl}, Write::patch);
  const StoredDocument* old = find_live(collection, key, is(Defect::ghosts_patchable));
  if (!old) {
    const bool is_taken_for_done = is(Defect::nothing_patchable) && collection && !find_stored(collection, key);
    return only(is_taken_for_done ? Status::ok : Status::not_found);
  }
  const bool removes = patch.remove_ttl && !is(Defect::patch_cannot_remove_ttl);
  const bool keeps = !names_ttl && !removes && !is(Defect::patch_drops_ttl);
  const Ttl ttl = keeps ? old->shown.ttl : *named;  // W4
  const std::string kept_value = is(Defect::patch_drops_value) ? "" : old->shown.value;
  const Status status = is(Defect::patch_answers_no_content) ? Status::no_content : Status::ok;
  return store(now, *collection, key, {.value = patch.value.value_or(kept_value)}, ttl, Write::patch, status);
}

// An invalid request is judged first (C2) and changes nothing (T3).
Outcome DefectiveStore::refuse(Instant now, const DocumentKey& key, const Content& content, Write write) {
  Collection* collection = find(now, key.collection);
  StoredDocument* live = find_live(collection, key);
  const bool needs_document = write == Write::replace || write == Write::patch;
  if (is(Defect::missing_before_invalid) && needs_document && !live) return only(Status::not_found);
  if (is(Defect::rejected_replace_stored) && write == Write::replace && live) live->shown.value = content.value;
  if (collection && write == Write::create && !live)
    collection->rejected_entries.push_back({key.partition, key.id, content.value, now, Inherit{}});
  const bool is_for_ttl = !accepted_ttl(content.ttl, collection);
  return only(is(Defect::ttl_unprocessable) && is_for_ttl ? defects::unprocessable : Status::bad_request);
}

Outcome DefectiveStore::store(Instant now, Collection& collection, const DocumentKey& key, const Content& content,
                              const Ttl& ttl, Write write, Status status) {
  const Identity identity = identity_of(key);
  const auto [place, is_new] = collection.documents.try_emplace(identity);
  const StoredDocument old = std::exchange(place->second, {});
  StoredDocument& stored = place->second;
  const std::string id = is(Defect::ids_shown_folded) ? defects::lower_case(key.id) : key.id;
  stored.shown = {key.partition, id, kept_value(content.value), now, ttl};  // W1, W3
  stored.counts_from = now;
  stored.default_at_write = collection.settings.default_ttl;
  stored.value_since = write == Write::patch && content.value == old.shown.value ? old.value_since : now;
  if (!is_new && !old.expired) stored.previous = old.shown;
  collection.tombstones.erase(identity);
  collection.written = identity;
  if (!is_new) count_write(collection, old, stored);
  const Charge charge = write_charge(collection, identity, ttl, write);
  collection.expired_identities.erase(identity);
  const bool keeps_value = (write == Write::replace && is(Defect::replace_keeps_value)) ||
                           (write == Write::upsert && is(Defect::upsert_keeps_value));
  if (keeps_value && stored.previous && content.value.empty()) stored.shown.value = old.shown.value;
  const bool says_no_ttl = write != Write::patch && std::holds_alternative<Absent>(content.ttl);
  if (is(Defect::absent_ttl_is_never) && says_no_ttl) stored.shown.ttl = Never{};
  const bool keeps_ttl = (write == Write::replace && is(Defect::replace_keeps_ttl)) ||
                         (write == Write::upsert && is(Defect::upsert_keeps_ttl));
  if (keeps_ttl && !is_new && std::holds_alternative<Inherit>(ttl)) stored.shown.ttl = old.shown.ttl;
  const bool is_off = std::holds_alternative<Off>(collection.settings.default_ttl);
  if (is(Defect::ttl_dropped_while_off) && is_off) stored.shown.ttl = Inherit{};
  if (keeps_countdown(write) && !is_new) stored.counts_from = old.counts_from;
  if (is(Defect::patch_keeps_ts) && write == Write::patch) stored.shown.ts = stored.counts_from = old.shown.ts;
  const bool is_over_expired = write == Write::upsert && old.expired && std::holds_alternative<Inherit>(ttl);
  if (is(Defect::upsert_over_expired_unseen) && is_over_expired) stored.expired = true;
  if (write == Write::patch) stored.view_ends = patched_view_end(collection, old, ttl);
  if (is(Defect::lazy_shows_old_content)) stored.indexed = old.indexed;
  if (is(Defect::namesake_restarted))
    for (auto& [other_identity, other] : collection.documents)
      if (other_identity.second == key.id) other.counts_from = now;
  Outcome outcome = only(status, charge);
  outcome.document = stored.shown;
  return outcome;
}

std::string DefectiveStore::kept_value(std::string value) const {
  if (is(Defect::long_value_cut) && value.size() >= 65'536) value.resize(value.size() % 65'536);
  if (is(Defect::value_ends_at_nul)) value.resize(std::min(value.find('\0'), value.size()));
  if (is(Defect::value_trimmed)) value.resize(value.find_last_not_of(' ') + 1);
  if (is(Defect::value_read_as_number) && value.size() > 1 && value.find_first_not_of("0123456789") == value.npos)
    value.erase(0, std::min(value.find_first_not_of('0'), value.size() - 1));
  if (is(Defect::value_beyond_16_bits_lost))  // four bytes in UTF-8, of which the first begins with four set bits
    for (std::size_t i = 0; i < value.size(); ++i)
      if (static_cast<unsigned char>(value[i]) >= 0xf0) value.replace(i, 4, "?");
  if (is(Defect::value_line_ends_unified))
    for (std::size_t i = value.find("\r\n"); i != value.npos; i = value.find("\r\n", i)) value.erase(i, 1);
  return value;
}

// What is counted of writes over a document that is stored, live or not.
void DefectiveStore::count_write(Collection& collection, const StoredDocument& old, StoredDocument& stored) const {
  stored.writes = static_cast<std::uint8_t>(old.writes + 1);
  if (is(Defect::countdown_lost_by_counter) && stored.writes == 0) stored.counts_from = old.counts_from;
  const auto before = deadline_of(collection, old), after = deadline_of(collection, stored);
  if (before && after && *after < *before) ++collection.zombies;
}

// The deadline that the patch, or one before it, took away.
std::optional<Instant> DefectiveStore::patched_view_end(const Collection& collection, const StoredDocument& old,
                                                        const Ttl& ttl) const {
  if (!std::holds_alternative<Inherit>(ttl)) return std::nullopt;
  return std::holds_alternative<Seconds>(old.shown.ttl) ? deadline_of(collection, old) : old.view_ends;
}

bool DefectiveStore::keeps_countdown(Write write) const {
  switch (write) {
    case Write::create:
      return is(Defect::create_keeps_countdown);
    case Write::replace:
      return is(Defect::replace_keeps_countdown);
    case Write::upsert:
      return is(Defect::upsert_keeps_countdown);
    case Write::patch:
      return is(Defect::patch_keeps_countdown);
  }
  return false;
}

Charge DefectiveStore::write_charge(Collection& collection, const Identity& identity, const Ttl& ttl, Write write) {
  Charge charge = write_price;
  if (costs_more(collection, ttl, write)) charge.units += 1;
  if (is(Defect::purge_charged_to_next_write)) charge.units += std::exchange(owed_, 0);
  if (is(Defect::expiry_charged_to_next_write)) charge.units += std::exchange(collection.owed_for_expiries, 0);
  const bool is_over_expired = write == Write::create && collection.expired_identities.contains(identity);
  if (is(Defect::create_over_expired_is_dearer) && is_over_expired) charge.units += 1;
  return charge;  // R1
}

// A write with this ttl, which without it would cost the usual (R2).
bool DefectiveStore::costs_more(const Collection& collection, const Ttl& ttl, Write write) const {
  if (std::holds_alternative<Inherit>(ttl)) return false;
  const DefaultTtl& default_ttl = collection.settings.default_ttl;
  const auto* n = std::get_if<Seconds>(&default_ttl);
  const auto* own = std::get_if<Seconds>(&ttl);
  if (is(Defect::ttl_charged)) return true;
  if (is(Defect::ttl_charged_while_off)) return std::holds_alternative<Off>(default_ttl);
  if (is(Defect::ttl_charged_under_never)) return std::holds_alternative<Never>(default_ttl);
  if (is(Defect::same_ttl_charged)) return n && own && *own == *n;
  if (is(Defect::never_charged)) return n && !own;
  if (is(Defect::other_ttl_charged)) return n && own && *own != *n;
  if (is(Defect::create_with_ttl_charged)) return write == Write::create;
  if (is(Defect::replace_with_ttl_charged)) return write == Write::replace;
  if (is(Defect::upsert_with_ttl_charged)) return write == Write::upsert;
  return is(Defect::patch_with_ttl_charged) && write == Write::patch;
}

}  // namespace mayfly
