#include "straightforward.hpp"

namespace mayfly::bench {

namespace {

Outcome only(Status status, double charge = 1) { return {.status = status, .charge = Charge{charge}}; }

Outcome with_document(Status status, const mayfly::Document& document) {
  Outcome outcome = only(status);
  outcome.document = document;
  return outcome;
}

}  // namespace

// An expired document stays expired, whatever the settings become (X4).
void StraightforwardEngine::Collection::settle(Instant now) {
  while (!deadlines.empty() && deadlines.begin()->first <= now) {
    Stored* stored = deadlines.begin()->second;
    deadlines.erase(deadlines.begin());
    stored->deadline.reset();
    stored->expired = true;
    expired.insert(stored);
  }
}

StraightforwardEngine::Stored* StraightforwardEngine::Collection::find_live(const DocumentKey& key) {
  const auto partition = partitions.find(key.partition);
  if (partition == partitions.end()) return nullptr;
  const auto found = partition->second.find(key.id);
  return found != partition->second.end() && !found->second.expired ? &found->second : nullptr;
}

void StraightforwardEngine::Collection::file(Stored& stored) {
  stored.deadline = deadline(stored.document.ts, stored.document.ttl, settings.default_ttl);
  if (stored.deadline) deadlines.emplace(*stored.deadline, &stored);
}

void StraightforwardEngine::Collection::unfile(Stored& stored) {
  if (stored.deadline) deadlines.erase({*stored.deadline, &stored});
  if (stored.expired) expired.erase(&stored);
}

void StraightforwardEngine::Collection::remove(Stored& stored) {
  unfile(stored);
  const auto partition = partitions.find(stored.document.partition);
  partition->second.erase(partition->second.find(stored.document.id));
  if (partition->second.empty()) partitions.erase(partition);
}

Outcome StraightforwardEngine::Collection::store(mayfly::Document document, Status status) {
  Stored& stored = partitions[document.partition][document.id];
  unfile(stored);
  stored.document = std::move(document);
  stored.expired = false;
  file(stored);
  return with_document(status, stored.document);
}

StraightforwardEngine::Collection* StraightforwardEngine::find(Instant now, const std::string& name) {
  const auto found = collections_.find(name);
  if (found == collections_.end()) return nullptr;
  found->second.settle(now);
  return &found->second;
}

Outcome StraightforwardEngine::create_collection(Instant, const std::string& name, const Definition& definition) {
  const auto settings = valid_settings(definition);
  if (!settings) return only(Status::bad_request);
  const auto [collection, is_new] = collections_.try_emplace(name);
  if (is_new) collection->second.settings = *settings;
  return only(is_new ? Status::created : Status::conflict);
}

Outcome StraightforwardEngine::replace_collection(Instant now, const std::string& name, const Definition& definition) {
  const auto settings = valid_settings(definition);
  if (!settings) return only(Status::bad_request);
  Collection* collection = find(now, name);
  if (!collection) return only(Status::not_found);
  collection->settings = *settings;
  collection->deadlines.clear();
  for (auto& [partition, documents] : collection->partitions)
    for (auto& [id, stored] : documents)
      if (!stored.expired) collection->file(stored);
  collection->settle(now);
  return only(Status::ok);
}

Outcome StraightforwardEngine::read_collection(Instant now, const std::string& name) {
  const Collection* collection = find(now, name);
  if (!collection) return only(Status::not_found);
  Outcome outcome = only(Status::ok);
  outcome.default_ttl = collection->settings.default_ttl;
  outcome.indexing = collection->settings.indexing;
  return outcome;
}

Outcome StraightforwardEngine::delete_collection(Instant, const std::string& name) {
  return only(collections_.erase(name) == 1 ? Status::no_content : Status::not_found);
}

Outcome StraightforwardEngine::write(Instant now, const DocumentKey& key, const Content& content, Status live,
                                     Status none) {
  const auto ttl = valid_ttl(content.ttl);
  if (!ttl) return only(Status::bad_request);
  Collection* collection = find(now, key.collection);
  if (!collection) return only(Status::not_found);
  const Status status = collection->find_live(key) ? live : none;
  if (status >= Status::bad_request) return only(status);
  return collection->store({key.partition, key.id, content.value, now, *ttl}, status);
}

Outcome StraightforwardEngine::patch(Instant now, const DocumentKey& key, const Patch& patch) {
  if (!is_valid(patch)) return only(Status::bad_request);
  Collection* collection = find(now, key.collection);
  const Stored* old = collection ? collection->find_live(key) : nullptr;
  if (!old) return only(Status::not_found);
  mayfly::Document document = old->document;
  document.ts = now;
  if (patch.value) document.value = *patch.value;
  if (patch.remove_ttl || !std::holds_alternative<Absent>(patch.ttl)) document.ttl = *valid_ttl(patch.ttl);
  return collection->store(std::move(document), Status::ok);
}

Outcome StraightforwardEngine::read(Instant now, const DocumentKey& key) {
  Collection* collection = find(now, key.collection);
  const Stored* stored = collection ? collection->find_live(key) : nullptr;
  return stored ? with_document(Status::ok, stored->document) : only(Status::not_found);
}

Outcome StraightforwardEngine::erase(Instant now, const DocumentKey& key) {
  Collection* collection = find(now, key.collection);
  Stored* stored = collection ? collection->find_live(key) : nullptr;
  if (!stored) return only(Status::not_found);
  collection->remove(*stored);
  return only(Status::no_content);
}

// A lazy index may be up to date at once (I3).
Outcome StraightforwardEngine::query(Instant now, const std::string& name,
                                     const std::optional<std::string>& partition) {
  const Collection* collection = find(now, name);
  if (!collection) return only(Status::not_found);
  if (collection->settings.indexing == Indexing::none) return only(Status::bad_request);
  Outcome outcome = only(Status::ok);
  auto& documents = outcome.documents.emplace();
  const auto show = [&](const Partition& shown) {
    for (const auto& [id, stored] : shown)
      if (!stored.expired) documents.push_back(stored.document);
  };
  if (!partition) {
    for (const auto& [named, shown] : collection->partitions) show(shown);
  } else if (const auto found = collection->partitions.find(*partition); found != collection->partitions.end()) {
    show(found->second);
  }
  return outcome;
}

Outcome StraightforwardEngine::count(Instant now, const std::string& name,
                                     const std::optional<std::string>& partition) {
  Outcome outcome = query(now, name, partition);
  if (outcome.documents) outcome.count = outcome.documents->size();
  outcome.documents.reset();
  return outcome;
}

Outcome StraightforwardEngine::purge(Instant now, Budget budget) {
  Outcome outcome = only(Status::ok, 0);
  auto& purged = outcome.purged.emplace(0);
  for (auto& [name, collection] : collections_) {
    collection.settle(now);
    if (std::holds_alternative<Off>(collection.settings.default_ttl)) continue;
    for (; !collection.expired.empty() && purged < budget.units; ++purged)
      collection.remove(**collection.expired.begin());
  }
  return outcome;
}

Outcome StraightforwardEngine::index(Instant now, const std::string& name, Budget) {
  return only(find(now, name) ? Status::ok : Status::not_found, 0);
}

Outcome StraightforwardEngine::held(Instant) {
  Outcome outcome = only(Status::ok, 0);
  auto& held = outcome.held.emplace(0);
  for (const auto& [name, collection] : collections_)
    for (const auto& [partition, stored] : collection.partitions) held += stored.size();
  return outcome;
}

}  // namespace mayfly::bench
