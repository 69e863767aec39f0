#pragma once

#include <concepts>
#include <optional>
#include <string>

#include "mayfly/model/outcome.hpp"

namespace mayfly {

/// A store that the harness can drive. Every request passes the current second, which never decreases from one request
/// to the next. A default-constructed store is empty. Every request is legal: the answer to one that the rules reject
/// is an outcome too.
///
/// `purge` and `index` run the background processes, which never run by themselves. `held` answers the number of stored
/// documents, including the expired ones that are not yet purged.
template <class S>
concept Store = std::default_initializable<S> &&
    requires(S store, Instant now, const std::string& collection, const std::optional<std::string>& partition,
             const Definition& definition, const DocumentKey& key, const Content& content, const Patch& patch,
             Budget budget) {
  { store.create_collection(now, collection, definition) } -> std::convertible_to<Outcome>;
  { store.replace_collection(now, collection, definition) } -> std::convertible_to<Outcome>;
  { store.read_collection(now, collection) } -> std::convertible_to<Outcome>;
  { store.delete_collection(now, collection) } -> std::convertible_to<Outcome>;
  { store.create(now, key, content) } -> std::convertible_to<Outcome>;
  { store.replace(now, key, content) } -> std::convertible_to<Outcome>;
  { store.upsert(now, key, content) } -> std::convertible_to<Outcome>;
  { store.patch(now, key, patch) } -> std::convertible_to<Outcome>;
  { store.read(now, key) } -> std::convertible_to<Outcome>;
  { store.erase(now, key) } -> std::convertible_to<Outcome>;
  { store.query(now, collection, partition) } -> std::convertible_to<Outcome>;
  { store.count(now, collection, partition) } -> std::convertible_to<Outcome>;
  { store.purge(now, budget) } -> std::convertible_to<Outcome>;
  { store.index(now, collection, budget) } -> std::convertible_to<Outcome>;
  { store.held(now) } -> std::convertible_to<Outcome>;
};

}  // namespace mayfly
