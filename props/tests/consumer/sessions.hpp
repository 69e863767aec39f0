#pragma once

#include <mayfly/model/expiry.hpp>
#include <mayfly/model/store.hpp>
#include <mayfly/sim/basic_store.hpp>

#include "session_cache.hpp"

// The cache as Mayfly sees it: a cache is a collection, a user a partition. What only requests know is translated here,
// also which of them are not valid.

inline std::int64_t seconds(const auto& ttl) {
  if (const auto* n = std::get_if<mayfly::Seconds>(&ttl)) return n->count();
  return std::holds_alternative<mayfly::Never>(ttl) ? -1 : 0;
}
inline std::int64_t seconds(mayfly::Instant now) { return now.time_since_epoch().count(); }

template <class Ttl>
Ttl ttl_of(std::int64_t lifetime) {
  if (lifetime == 0) return {};
  return lifetime > 0 ? Ttl{mayfly::Seconds{lifetime}} : Ttl{mayfly::Never{}};
}

inline mayfly::Document document_of(const Session& session) {
  return {session.user, session.id, session.data, mayfly::Instant{mayfly::Seconds{session.written}},
          ttl_of<mayfly::Ttl>(session.lifetime)};
}

template <class Cache>
class Sessions : public mayfly::BasicStore {
 public:
  using Outcome = mayfly::Outcome;
  using Status = mayfly::Status;
  using Instant = mayfly::Instant;

  Outcome create_collection(Instant now, const std::string& name, const mayfly::Definition& asked) {
    return define(now, name, asked, Status::conflict, Status::created);
  }
  Outcome replace_collection(Instant now, const std::string& name, const mayfly::Definition& asked) {
    return define(now, name, asked, Status::ok, Status::not_found);
  }
  Outcome read_collection(Instant, const std::string& name) {
    if (!caches_.contains(name)) return {Status::not_found};
    const auto& [cache, indexing] = caches_.at(name);
    return {.default_ttl = ttl_of<mayfly::DefaultTtl>(cache.lifetime()), .indexing = indexing};
  }
  Outcome delete_collection(Instant, const std::string& name) {
    return {caches_.erase(name) > 0 ? Status::no_content : Status::not_found};
  }

  Outcome create(Instant now, const mayfly::DocumentKey& key, const mayfly::Content& content) {
    return write(now, key, content, Status::conflict, Status::created);
  }
  Outcome replace(Instant now, const mayfly::DocumentKey& key, const mayfly::Content& content) {
    return write(now, key, content, Status::ok, Status::not_found);
  }
  Outcome upsert(Instant now, const mayfly::DocumentKey& key, const mayfly::Content& content) {
    return write(now, key, content, Status::ok, Status::created);
  }
  Outcome read(Instant now, const mayfly::DocumentKey& key) {
    const Session* session = find(now, key);
    return session ? Outcome{.document = document_of(*session)} : Outcome{Status::not_found};
  }
  Outcome erase(Instant now, const mayfly::DocumentKey& key) {
    if (!find(now, key)) return {Status::not_found};
    caches_.at(key.collection).cache.remove(key.partition, key.id);
    return {Status::no_content};
  }
  Outcome query(Instant now, const std::string& name, const std::optional<std::string>& partition) {
    if (!caches_.contains(name)) return {Status::not_found};
    const auto& [cache, indexing] = caches_.at(name);
    if (indexing == mayfly::Indexing::none) return {Status::bad_request};
    Outcome shown{.documents = std::vector<mayfly::Document>()};
    for (const auto& session : cache.all(partition, seconds(now))) shown.documents->push_back(document_of(session));
    return shown;
  }

 private:
  struct Named {
    Cache cache;
    mayfly::Indexing indexing;
  };

  const Session* find(Instant now, const mayfly::DocumentKey& key) const {
    const auto named = caches_.find(key.collection);
    return named == caches_.end() ? nullptr : named->second.cache.find(key.partition, key.id, seconds(now));
  }

  Outcome define(Instant now, const std::string& name, const mayfly::Definition& asked, Status there, Status new_one) {
    const auto settings = mayfly::valid_settings(asked);
    const Status status = !settings ? Status::bad_request : caches_.contains(name) ? there : new_one;
    if (status >= Status::bad_request) return {status};
    auto& [cache, indexing] = caches_[name];
    cache.set_lifetime(seconds(settings->default_ttl), seconds(now));
    indexing = settings->indexing;
    return {status};
  }

  Outcome write(Instant now, const mayfly::DocumentKey& key, const mayfly::Content& content, Status there,
                Status new_one) {
    const auto ttl = mayfly::valid_ttl(content.ttl);
    if (!ttl) return {Status::bad_request};
    if (!caches_.contains(key.collection)) return {Status::not_found};
    const Status status = find(now, key) ? there : new_one;
    if (status >= Status::bad_request) return {status};
    const Session session{key.partition, key.id, content.value, seconds(now), seconds(*ttl)};
    caches_.at(key.collection).cache.put(session);
    return {.status = status, .document = document_of(session)};
  }

  std::map<std::string, Named> caches_;
};
