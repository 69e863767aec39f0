#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mayfly/model/expiry.hpp"
#include "mayfly/model/store.hpp"
#include "mayfly/props/defects/catalogue.hpp"
#include "mayfly/sim/state_encoder.hpp"

namespace mayfly {

/// A plain copy of the rules, maps and scans, that gets one of them wrong. Without a defect it is as good as the
/// reference.
///
/// It always remembers what some defect may need, so that a defect is one line at the place where its rule is read:
/// `if (is(Defect::x)) ...`.
class DefectiveStore {
 public:
  DefectiveStore() = default;
  explicit DefectiveStore(Defect defect) : defect_(defect) {}

  Outcome create_collection(Instant now, const std::string& name, const Definition& definition);
  Outcome replace_collection(Instant now, const std::string& name, const Definition& definition);
  Outcome read_collection(Instant now, const std::string& name);
  Outcome delete_collection(Instant now, const std::string& name);

  Outcome create(Instant now, const DocumentKey& key, const Content& content);
  Outcome replace(Instant now, const DocumentKey& key, const Content& content);
  Outcome upsert(Instant now, const DocumentKey& key, const Content& content);
  Outcome patch(Instant now, const DocumentKey& key, const Patch& patch);
  Outcome read(Instant now, const DocumentKey& key);
  Outcome erase(Instant now, const DocumentKey& key);
  Outcome query(Instant now, const std::string& name, const std::optional<std::string>& partition);
  Outcome count(Instant now, const std::string& name, const std::optional<std::string>& partition);

  Outcome purge(Instant now, Budget budget);
  Outcome index(Instant now, const std::string& name, Budget budget);
  Outcome held(Instant now) const;

  /// For exhaustive search.
  void encode(StateEncoder& state) const;

 private:
  struct StoredDocument {
    Document shown;
    Instant counts_from;              // `_ts`, unless a defect says otherwise
    bool expired = false;             // final (X4)
    std::optional<Document> indexed;  // what a lazy index knows of it

    // What only defects look at.
    DefaultTtl default_at_write;
    std::optional<Seconds> previous_default;  // before the last change from seconds to seconds
    Instant value_since;                      // the write that gave it its value
    std::optional<Document> previous;         // what it was before its last write, if it was live
    bool has_forgotten_ttl = false;
    bool is_lost_to_queries = false;
    bool lives_on = false;  // past its deadline
    bool is_unpurgeable = false;
    std::optional<Instant> view_ends;         // from then on, queries do not show it
    std::uint8_t writes = 0;                  // over it
    std::optional<DefaultTtl> missed_change;  // the default that still counts
  };
  using Identity = std::pair<std::string, std::string>;  // partition and id
  using Documents = std::map<Identity, StoredDocument>;
  struct Collection {
    Settings settings;
    Documents documents;

    // What only defects look at.
    std::optional<Seconds> last_seconds;
    std::optional<Instant> default_since;  // when the default was changed
    bool had_default = false;              // other than off
    bool was_made_off = false;
    Instant off_since;
    std::set<Identity> tombstones;
    std::map<Identity, Instant> timers;
    std::vector<Document> deleted_entries;
    std::vector<Document> rejected_entries;
    std::set<Identity> expired_identities;  // until they are written again
    double ever_expired = 0;
    double owed_for_expiries = 0;
    std::optional<Instant> settled;   // the second in which it was
    std::optional<Identity> written;  // since then
    std::uint64_t zombies = 0;
    std::uint64_t deletes = 0;
    std::uint64_t kept_entries = 0;
    std::uint64_t changes = 0;
    std::map<Identity, int> times_deleted;
  };
  enum class Write { create, replace, upsert, patch };

  bool is(Defect defect) const { return defect_ == defect; }

  // What a request says: accepted.cpp.
  std::optional<DefaultTtl> accepted_default(const TtlField& field) const;
  std::optional<Settings> accepted_settings(const Definition& definition, const Collection* old) const;
  std::optional<Ttl> accepted_ttl(const TtlField& field, const Collection* collection) const;

  // Who lives, and how long: life.cpp.
  std::optional<Seconds> effective_ttl(const Collection& collection, const StoredDocument& document) const;
  std::optional<Seconds> own_ttl(const Collection& collection, Seconds own) const;
  std::optional<Seconds> inherited_ttl(const Collection& collection, const StoredDocument& document) const;
  std::optional<Seconds> ttl_while_off(const Collection& collection, const StoredDocument& document) const;
  std::optional<Instant> deadline_of(const Collection& collection, const StoredDocument& document) const;
  Seconds kept_ttl(Seconds ttl) const;
  std::int64_t kept_deadline(std::int64_t exact) const;
  bool is_due(Instant now, const Collection& collection, const StoredDocument& document) const;
  bool is_value_due(Instant now, const Collection& collection, const StoredDocument& document) const;
  Document shown(Instant now, const Collection& collection, const StoredDocument& document) const;
  bool is_third_of_its_second(const Collection& collection, const StoredDocument& document) const;
  void settle(Instant now, Collection& collection) const;
  void settle(Instant now, Collection& collection, const Identity& identity, StoredDocument& document) const;

  // Names: names.cpp.
  std::string collection_of(const std::string& name) const;
  Identity identity_of(const DocumentKey& key) const;
  std::string compared(const std::string& id) const;
  bool is_of(const std::string& partition, const Document& document) const;

  // Collections: collections.cpp.
  Collection* find_unsettled(const std::string& name);
  Collection* find(Instant now, const std::string& name);
  void make(Instant now, const std::string& name, const Settings& settings);
  Outcome refuse(const Definition& definition) const;
  void redefine(Instant now, Collection& collection, const Settings& settings);
  void redefine(Instant now, const Collection& collection, const Settings& old, StoredDocument& document) const;
  void switch_on(Instant now, const Collection& collection, StoredDocument& document) const;
  bool revives(const DefaultTtl& before, const DefaultTtl& after) const;

  // Documents: documents.cpp and writes.cpp.
  StoredDocument* find_stored(Collection* collection, const DocumentKey& key) const;
  StoredDocument* find_live(Collection* collection, const DocumentKey& key, bool or_ghost = false) const;
  Outcome read_nothing(Collection* collection, const DocumentKey& key) const;
  bool is_taken(Collection& collection, const DocumentKey& key);
  Outcome refuse(Instant now, const DocumentKey& key, const Content& content, Write write);
  Outcome store(Instant now, Collection& collection, const DocumentKey& key, const Content& content, const Ttl& ttl,
                Write write, Status status);
  std::optional<Instant> patched_view_end(const Collection& collection, const StoredDocument& old,
                                          const Ttl& ttl) const;
  bool keeps_countdown(Write write) const;
  std::string kept_value(std::string value) const;
  void count_write(Collection& collection, const StoredDocument& old, StoredDocument& stored) const;
  Charge write_charge(Collection& collection, const Identity& identity, const Ttl& ttl, Write write);
  bool costs_more(const Collection& collection, const Ttl& ttl, Write write) const;
  bool is_in_queries(Instant now, const Collection& collection, const StoredDocument& document) const;

  void encode_documents(StateEncoder& state, const Documents& documents) const;

  // Background: background.cpp.
  bool is_purgeable(Instant now, Collection& collection, const Identity& identity,
                    const StoredDocument& document) const;
  void after_purge(Collection& collection, std::optional<Instant> last, std::uint64_t purged, bool is_out_of_budget);
  bool leaves_tombstone(Instant now, const Collection& collection, const StoredDocument& document, bool is_first) const;

  Defect defect_ = Defect::none;
  std::map<std::string, Collection> collections_;
  std::map<std::string, Documents> deleted_collections_;
  double owed_ = 0;
};

static_assert(Store<DefectiveStore>);

}  // namespace mayfly
