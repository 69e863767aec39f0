#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "mayfly/model/expectation.hpp"
#include "mayfly/model/expiry.hpp"
#include "mayfly/model/store.hpp"

namespace mayfly {

/// The rules as a store: maps and scans, nothing else. Its answers are the sets that the rules allow.
///
/// Expired documents stay in the store, marked, until they are purged or their identity is written again. The mark
/// makes expiry final (X4): each request first marks what has expired under the settings that were in force until then.
class ReferenceStore {
 public:
  struct StoredDocument {
    std::string value;
    Instant ts;
    Ttl ttl;
    bool expired = false;
    bool operator==(const StoredDocument&) const = default;
  };
  using Identity = std::pair<std::string, std::string>;  ///< partition and id
  /// The order of identities, of which a search needs no copy.
  struct ByIdentity {
    using is_transparent = void;
    bool operator()(const auto& a, const auto& b) const {
      const int partitions = a.first.compare(b.first);
      return partitions < 0 || (partitions == 0 && a.second.compare(b.second) < 0);
    }
  };
  template <class Value>
  using MapByIdentity = std::map<Identity, Value, ByIdentity>;
  static std::pair<std::string_view, std::string_view> identity_of(const DocumentKey& key) {
    return {key.partition, key.id};
  }
  /// Only saves repeated work, so it does not count in comparisons of stores.
  struct Settled {
    std::optional<Instant> at;
    bool operator==(const Settled&) const { return true; }
  };
  struct Collection {
    Settings settings;
    MapByIdentity<StoredDocument> documents;
    std::uint64_t gone = 0;       ///< expired documents that are no longer here, but that a store may still hold (P1)
    std::uint64_t unpurged = 0;   ///< those of them for which no purge had enough budget so far (P5)
    std::uint64_t unindexed = 0;  ///< changes that a lazy index may not have taken in yet (I3)
    Settled settled;              ///< the second up to which all that expired under these settings is marked
    bool operator==(const Collection&) const = default;

    /// How many documents a rebuilt index may have to take in. A store may count the expired ones or not.
    std::uint64_t may_hold() const { return documents.size() + gone; }
    /// The number of expired documents that a store may still hold.
    std::uint64_t may_purge() const {
      return unpurged +
             static_cast<std::uint64_t>(std::count_if(documents.begin(), documents.end(),
                                                      [](const auto& entry) { return entry.second.expired; }));
    }
    bool is_on() const { return !std::holds_alternative<Off>(settings.default_ttl); }
    void add_change() { unindexed += settings.indexing == Indexing::lazy ? 1 : 0; }
  };
  using Collections = std::map<std::string, Collection>;

  Expectation create_collection(Instant now, const std::string& name, const Definition& definition);
  Expectation replace_collection(Instant now, const std::string& name, const Definition& definition);
  Expectation read_collection(Instant now, const std::string& name);
  Expectation delete_collection(Instant now, const std::string& name);

  // The status of each write over a live document, and without one (C2).
  Expectation create(Instant now, const DocumentKey& key, const Content& content) {
    return write(now, key, content, Status::conflict, Status::created);
  }
  Expectation replace(Instant now, const DocumentKey& key, const Content& content) {
    return write(now, key, content, Status::ok, Status::not_found);
  }
  Expectation upsert(Instant now, const DocumentKey& key, const Content& content) {
    return write(now, key, content, Status::ok, Status::created);
  }
  Expectation patch(Instant now, const DocumentKey& key, const Patch& patch);
  Expectation read(Instant now, const DocumentKey& key);
  Expectation erase(Instant now, const DocumentKey& key);
  Expectation query(Instant now, const std::string& name, const std::optional<std::string>& partition);
  Expectation count(Instant now, const std::string& name, const std::optional<std::string>& partition);

  Expectation purge(Instant now, Budget budget);
  Expectation index(Instant now, const std::string& name, Budget budget);
  Expectation held(Instant now);

  /// Marks what has expired by `now`, in every collection. Each request does so itself in the collection that it names.
  void settle(Instant now) {
    for (auto& [name, collection] : collections_) settle(now, collection);
  }

  bool operator==(const ReferenceStore&) const = default;

  const Collections& collections() const { return collections_; }

 private:
  static void settle(Instant now, Collection& collection);
  Collection* find(Instant now, const std::string& name);
  static StoredDocument* find_live(Collection* collection, const DocumentKey& key);
  static Expectation store(Collection& collection, const DocumentKey& key, StoredDocument stored, Status status);
  Expectation write(Instant now, const DocumentKey& key, const Content& content, Status live, Status none);

  Collections collections_;
};

static_assert(Store<ReferenceStore>);

}  // namespace mayfly
