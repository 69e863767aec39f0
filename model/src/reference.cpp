#include "mayfly/model/reference.hpp"

#include <algorithm>

namespace mayfly {

namespace {

// The prices depend on neither ttl (R2) nor purging (R1).
constexpr Charge nothing{0}, small_price{1}, write_price{5}, query_price{3};

Expectation answer(Status status, Charge charge = small_price) {
  Expectation expected;
  expected.answer.status = status;
  expected.answer.charge = charge;
  return expected;
}

Document shown(const std::string& partition, const std::string& id, const ReferenceStore::StoredDocument& stored) {
  return {partition, id, stored.value, stored.ts, stored.ttl};
}

Expectation answer(Status status, Charge charge, Document document) {
  Expectation expected = answer(status, charge);
  expected.answer.document = std::move(document);
  return expected;
}

}  // namespace

// Once a second is enough: what is written later in the same second lives on to the next (T3, X1).
void ReferenceStore::settle(Instant now, Collection& collection) {
  if (std::exchange(collection.settled.at, now) == now) return;
  for (auto& [identity, document] : collection.documents)
    document.expired |= is_expired(document.ts, document.ttl, collection.settings.default_ttl, now);  // |= is X4
}

ReferenceStore::Collection* ReferenceStore::find(Instant now, const std::string& name) {
  const auto found = collections_.find(name);
  if (found == collections_.end()) return nullptr;
  settle(now, found->second);
  return &found->second;
}

ReferenceStore::StoredDocument* ReferenceStore::find_live(Collection* collection, const DocumentKey& key) {
  if (!collection) return nullptr;
  const auto found = collection->documents.find(identity_of(key));
  return found != collection->documents.end() && !found->second.expired ? &found->second : nullptr;  // X2
}

Expectation ReferenceStore::create_collection(Instant now, const std::string& name, const Definition& asked) {
  const auto settings = valid_settings(asked);
  if (!settings) return answer(Status::bad_request);
  if (find(now, name)) return answer(Status::conflict);
  collections_[name] = Collection{.settings = *settings};  // C3: it starts empty
  return answer(Status::created);
}

Expectation ReferenceStore::replace_collection(Instant now, const std::string& name, const Definition& asked) {
  const auto settings = valid_settings(asked);
  if (!settings) return answer(Status::bad_request);
  Collection* collection = find(now, name);  // also marks what the old settings expired (X4)
  if (!collection) return answer(Status::not_found);
  const bool is_lazy = settings->indexing == Indexing::lazy;
  if (collection->settings != *settings) collection->unindexed = is_lazy ? collection->may_hold() : 0;  // I3
  collection->settings = *settings;
  collection->settled = {};
  settle(now, *collection);  // the new settings take effect at once (W5, F3)
  return answer(Status::ok);
}

Expectation ReferenceStore::read_collection(Instant, const std::string& name) {
  const auto found = collections_.find(name);
  auto expected = answer(found == collections_.end() ? Status::not_found : Status::ok);
  if (found == collections_.end()) return expected;
  expected.answer.default_ttl = found->second.settings.default_ttl;
  expected.answer.indexing = found->second.settings.indexing;
  return expected;
}

Expectation ReferenceStore::delete_collection(Instant, const std::string& name) {
  return answer(collections_.erase(name) > 0 ? Status::no_content : Status::not_found);
}

Expectation ReferenceStore::store(Collection& collection, const DocumentKey& key, StoredDocument stored,
                                  Status status) {
  StoredDocument& place = collection.documents[{key.partition, key.id}];  // an expired document's identity is free (X3)
  collection.gone += place.expired ? 1 : 0;
  collection.unpurged += place.expired ? 1 : 0;
  place = std::move(stored);
  collection.add_change();
  return answer(status, write_price, shown(key.partition, key.id, place));
}

Expectation ReferenceStore::write(Instant now, const DocumentKey& key, const Content& content, Status live,
                                  Status none) {
  const auto ttl = valid_ttl(content.ttl);
  if (!ttl) return answer(Status::bad_request);  // T3, and T4: whatever the default
  Collection* collection = find(now, key.collection);
  if (!collection) return answer(Status::not_found);
  const Status status = find_live(collection, key) ? live : none;
  if (status >= Status::bad_request) return answer(status);
  return store(*collection, key, {content.value, now, *ttl}, status);  // W1, W3
}

Expectation ReferenceStore::patch(Instant now, const DocumentKey& key, const Patch& patch) {
  if (!is_valid(patch)) return answer(Status::bad_request);
  Collection* collection = find(now, key.collection);
  const StoredDocument* old = find_live(collection, key);
  if (!old) return answer(Status::not_found);
  const bool names_ttl = patch.remove_ttl || !std::holds_alternative<Absent>(patch.ttl);
  const Ttl ttl = names_ttl ? *valid_ttl(patch.ttl) : old->ttl;  // W4
  return store(*collection, key, {patch.value.value_or(old->value), now, ttl}, Status::ok);
}

Expectation ReferenceStore::read(Instant now, const DocumentKey& key) {
  const StoredDocument* document = find_live(find(now, key.collection), key);
  if (!document) return answer(Status::not_found);
  return answer(Status::ok, small_price, shown(key.partition, key.id, *document));
}

Expectation ReferenceStore::erase(Instant now, const DocumentKey& key) {
  Collection* collection = find(now, key.collection);
  if (!find_live(collection, key)) return answer(Status::not_found);
  collection->documents.erase(collection->documents.find(identity_of(key)));
  collection->add_change();
  return answer(Status::no_content, write_price);
}

Expectation ReferenceStore::query(Instant now, const std::string& name, const std::optional<std::string>& partition) {
  const Collection* collection = find(now, name);
  if (!collection) return answer(Status::not_found);
  if (collection->settings.indexing == Indexing::none) return answer(Status::bad_request);  // I6
  Expectation expected = answer(Status::ok, query_price);
  auto& documents = expected.answer.documents.emplace();
  documents.reserve(collection->documents.size());
  for (const auto& [identity, document] : collection->documents)
    if (!document.expired && (!partition || *partition == identity.first))
      documents.push_back(shown(identity.first, identity.second, document));
  expected.may_miss = collection->unindexed > 0;  // I3, I4
  return expected;
}

Expectation ReferenceStore::count(Instant now, const std::string& name, const std::optional<std::string>& partition) {
  Expectation expected = query(now, name, partition);
  if (!expected.answer.documents) return expected;
  expected.answer.count = expected.answer.documents->size();
  expected.answer.documents.reset();
  return expected;
}

Expectation ReferenceStore::purge(Instant now, Budget budget) {
  settle(now);
  std::uint64_t all = 0;
  for (const auto& [name, collection] : collections_) all += collection.is_on() ? collection.may_purge() : 0;
  auto expected = answer(Status::ok, nothing);  // P2
  auto& purged = expected.answer.purged.emplace(0);
  const auto goes = [&](const auto& entry) { return entry.second.expired && purged < budget.units && ++purged; };  // P4
  for (auto& [name, collection] : collections_) {
    if (!collection.is_on()) continue;  // P3
    expected.may_purge = budget;
    const auto erased = std::erase_if(collection.documents, goes);
    collection.gone += erased;
    collection.unpurged = all <= budget.units ? 0 : collection.unpurged + erased;  // P5
  }
  return expected;
}

Expectation ReferenceStore::index(Instant now, const std::string& name, Budget budget) {
  Collection* collection = find(now, name);
  if (!collection) return answer(Status::not_found, nothing);
  collection->unindexed -= std::min(collection->unindexed, budget.units);
  return answer(Status::ok, nothing);
}

// When to purge is up to the store, until a purge had enough budget (P1, P5).
Expectation ReferenceStore::held(Instant now) {
  settle(now);
  auto expected = answer(Status::ok, nothing);
  auto& held = expected.answer.held.emplace(0);
  for (const auto& [name, collection] : collections_) {
    const std::uint64_t most = collection.documents.size() + collection.unpurged;
    held += collection.documents.size();
    expected.may_hold += most;
    expected.must_hold += most - collection.may_purge();  // P4
  }
  return expected;
}

}  // namespace mayfly
