#pragma once

#include <string>

#include <boost/container/flat_map.hpp>

#include "mayfly/model/store.hpp"
#include "mayfly/sim/engine/collection.hpp"
#include "mayfly/sim/state_encoder.hpp"

namespace mayfly {

/// The fast store. It shares the model's words and none of its logic: a second, independent reading of the rules.
///
/// A read, a write and a change of a default look at one document at most, whatever the number of documents; the expiry
/// index behind them costs what its structure costs. A purge looks at what it deletes, and at what was written since it
/// was filed. Copies are independent.
class Engine {
 public:
  Outcome create_collection(Instant now, const std::string& name, const Definition& definition);
  Outcome replace_collection(Instant now, const std::string& name, const Definition& definition);
  Outcome read_collection(Instant now, const std::string& name) const;
  Outcome delete_collection(Instant now, const std::string& name);

  Outcome create(Instant now, const DocumentKey& key, const Content& content);
  Outcome replace(Instant now, const DocumentKey& key, const Content& content);
  Outcome upsert(Instant now, const DocumentKey& key, const Content& content);
  Outcome patch(Instant now, const DocumentKey& key, const Patch& patch);
  Outcome read(Instant now, const DocumentKey& key) const;
  Outcome erase(Instant now, const DocumentKey& key);
  Outcome query(Instant now, const std::string& name, const std::optional<std::string>& partition) const;
  Outcome count(Instant now, const std::string& name, const std::optional<std::string>& partition) const;

  Outcome purge(Instant now, Budget budget);
  Outcome index(Instant now, const std::string& name, Budget budget);

  Outcome held(Instant now) const;

  /// How many live documents a replace of the collection would expire at once: none if it would be rejected. A scan.
  std::uint64_t would_expire(Instant now, const std::string& name, const Definition& definition) const;

  /// The collection, or nullptr.
  const engine::Collection* collection(const std::string& name) const { return find(name); }

  /// Documents of one collection that it stores, expired ones included.
  std::size_t held(const std::string& name) const;

  /// Shows the documents of one collection bit by bit: see Collection::walk. Nothing to show if there is none.
  template <class Show>
  std::optional<engine::SlotId> walk(Instant now, const std::string& name, engine::Sight sight,
                                     const std::optional<std::string>& partition, engine::SlotId from,
                                     Show show) const {
    const engine::Collection* collection = find(name);
    return collection ? collection->walk(now, sight, partition, from, show) : std::nullopt;
  }

  /// Writes all that answers can depend on, so that exhaustive search can tell states apart.
  void encode(StateEncoder& state) const;

  /// Aborts if something that must always hold does not. A scan: for tests.
  void check_invariants() const;

 private:
  engine::Collection* find(const std::string& name);
  const engine::Collection* find(const std::string& name) const;

  // A store has few collections: a sorted array finds one in a few comparisons, and walks them in the order of their
  // names on every platform.
  boost::container::flat_map<std::string, engine::Collection> collections_;
};

static_assert(Store<Engine>);

}  // namespace mayfly
