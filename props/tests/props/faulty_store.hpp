#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mayfly/model/expiry.hpp"
#include "mayfly/model/rule.hpp"
#include "mayfly/sim/basic_store.hpp"

namespace mayfly::test {

/// The faults of a `FaultyStore`. None is a planted defect: no store of the catalogue behaves exactly like this.
enum class Fault {
  none,
  never_to_seconds_restarts,
  lost_index_entry,
  upsert_inherits_from_the_expired,
  long_ttl_is_never,
  own_ttl_written_while_off_forgotten,
  revived_by_indexing,
  same_ttl_keeps_countdown,
  shorter_default_cuts_own_ttl,
  never_survives_its_collection,
  second_create_conflicts,
  own_never_written_while_off_inherits,
  largest_ttl_rejected,
  third_write_lost,
  off_twice_keeps_expiring,
  zero_ttl_kept,
  any_ttl_kept_while_off,
};

struct FaultText {
  Fault fault;
  Rule rule;  ///< the one that is broken
  std::string_view sentence;
};
inline constexpr std::array<FaultText, 16> all_faults{{
    {Fault::never_to_seconds_restarts, Rule::W5,
     "a change from never to n restarts the countdown of inheriting documents"},
    {Fault::lost_index_entry, Rule::C1, "a delete takes the index entries of the same id in other partitions along"},
    {Fault::upsert_inherits_from_the_expired, Rule::W3, "an upsert without ttl takes that of its expired predecessor"},
    {Fault::long_ttl_is_never, Rule::E3, "a ttl of more than 20 s is taken as never"},
    {Fault::own_ttl_written_while_off_forgotten, Rule::F2, "a ttl that was written while TTL was off never counts"},
    {Fault::revived_by_indexing, Rule::X4, "another indexing mode brings expired documents back"},
    {Fault::same_ttl_keeps_countdown, Rule::W1, "a replace with the ttl that is there does not restart the countdown"},
    {Fault::shorter_default_cuts_own_ttl, Rule::W6, "a change from never to n cuts longer ttls down to n"},
    {Fault::never_survives_its_collection, Rule::C3, "documents with ttl never come back with their collection"},
    {Fault::second_create_conflicts, Rule::X3, "create over an expired document that was ever replaced answers 409"},
    {Fault::own_never_written_while_off_inherits, Rule::E2,
     "a ttl of never that was written while TTL was off inherits"},
    {Fault::largest_ttl_rejected, Rule::T3, "the largest ttl is rejected"},
    {Fault::third_write_lost, Rule::W3, "the third write of a document keeps the value that is there"},
    {Fault::off_twice_keeps_expiring, Rule::F1, "TTL can be switched off only once in the life of a collection"},
    {Fault::zero_ttl_kept, Rule::T3, "a ttl of 0 is accepted and shown, and its document inherits"},
    {Fault::any_ttl_kept_while_off, Rule::T4,
     "while TTL is off any ttl but null is accepted and shown, and its document inherits"},
}};

/// A small store with one fault. It has no patches, purging, lazy indexing or charges.
class FaultyStore : public BasicStore {
 public:
  FaultyStore() = default;
  explicit FaultyStore(Fault fault) : fault_(fault) {}

  Outcome create_collection(Instant now, const std::string& name, const Definition& asked) {
    return define(now, name, asked, Status::conflict, Status::created);
  }
  Outcome replace_collection(Instant now, const std::string& name, const Definition& asked) {
    return define(now, name, asked, Status::ok, Status::not_found);
  }
  Outcome read_collection(Instant, const std::string& name) {
    const auto found = collections_.find(name);
    if (found == collections_.end()) return {Status::not_found};
    return {.default_ttl = found->second.settings.default_ttl, .indexing = found->second.settings.indexing};
  }
  Outcome delete_collection(Instant now, const std::string& name) {
    const auto found = collections_.find(name);
    if (found == collections_.end()) return {Status::not_found};
    settle(now, found->second);
    survivors_[name].clear();
    for (const auto& [identity, document] : found->second.documents)
      if (is(Fault::never_survives_its_collection) && std::holds_alternative<Never>(document.shown.ttl))
        survivors_[name].emplace(identity, document);
    collections_.erase(found);
    return {Status::no_content};
  }

  Outcome create(Instant now, const DocumentKey& key, const Content& content) {
    return write(now, key, content, Status::conflict, Status::created);
  }
  Outcome replace(Instant now, const DocumentKey& key, const Content& content) {
    return write(now, key, content, Status::ok, Status::not_found);
  }
  Outcome upsert(Instant now, const DocumentKey& key, const Content& content) {
    return write(now, key, content, Status::ok, Status::created, true);
  }
  Outcome read(Instant now, const DocumentKey& key) {
    const Stored* document = find_live(now, key);
    return document ? Outcome{.document = document->shown} : Outcome{Status::not_found};
  }
  Outcome erase(Instant now, const DocumentKey& key) {
    if (!find_live(now, key)) return {Status::not_found};
    auto& documents = collections_.at(key.collection).documents;
    documents.erase({key.partition, key.id});
    for (auto& [identity, document] : documents)
      document.is_indexed &= !(is(Fault::lost_index_entry) && identity.second == key.id);
    return {Status::no_content};
  }
  Outcome query(Instant now, const std::string& name, const std::optional<std::string>& partition) {
    const auto found = collections_.find(name);
    if (found == collections_.end()) return {Status::not_found};
    if (found->second.settings.indexing == Indexing::none) return {Status::bad_request};
    settle(now, found->second);
    Outcome outcome{.documents = std::vector<Document>()};
    for (const auto& [identity, document] : found->second.documents)
      if (!document.expired && document.is_indexed && (!partition || *partition == identity.first))
        outcome.documents->push_back(document.shown);
    return outcome;
  }

 private:
  struct Stored {
    Document shown;
    Instant counts_from;
    Ttl ttl;  ///< as it counts
    int writes = 1;
    bool expired = false;
    bool is_indexed = true;
  };
  using Documents = std::map<std::pair<std::string, std::string>, Stored>;
  struct Collection {
    Settings settings;
    Documents documents;
    int times_off = 0;
    DefaultTtl counts;  ///< the default, as it counts
  };

  bool is(Fault fault) const { return fault_ == fault; }

  static void settle(Instant now, Collection& collection) {
    for (auto& [identity, document] : collection.documents)
      document.expired |= is_expired(document.counts_from, document.ttl, collection.counts, now);
  }

  Stored* find_stored(Instant now, const DocumentKey& key) {
    const auto found = collections_.find(key.collection);
    if (found == collections_.end()) return nullptr;
    settle(now, found->second);
    const auto document = found->second.documents.find({key.partition, key.id});
    return document == found->second.documents.end() ? nullptr : &document->second;
  }
  Stored* find_live(Instant now, const DocumentKey& key) {
    Stored* document = find_stored(now, key);
    return document && !document->expired ? document : nullptr;
  }

  Outcome define(Instant now, const std::string& name, const Definition& asked, Status there, Status new_one) {
    const auto settings = valid_settings(asked);
    const Status status = !settings ? Status::bad_request : collections_.contains(name) ? there : new_one;
    if (status >= Status::bad_request) return {status};
    Collection& collection = collections_[name];
    if (status == Status::created) collection.documents = std::exchange(survivors_[name], {});
    settle(now, collection);
    change(now, collection, *settings);
    collection.settings = *settings;
    return {status};
  }

  void change(Instant now, Collection& collection, const Settings& to) const {
    const Settings& from = collection.settings;
    const bool is_now_off = std::holds_alternative<Off>(to.default_ttl);
    const auto* seconds = std::get_if<Seconds>(&to.default_ttl);
    for (auto& [identity, document] : collection.documents) {
      const auto* own = std::get_if<Seconds>(&document.ttl);
      const bool leaves_never = std::holds_alternative<Never>(from.default_ttl) && seconds;
      if (is(Fault::never_to_seconds_restarts) && leaves_never && std::holds_alternative<Inherit>(document.ttl))
        document.counts_from = now;
      if (is(Fault::shorter_default_cuts_own_ttl) && leaves_never && own && *own > *seconds) document.ttl = *seconds;
      if (is(Fault::revived_by_indexing) && from.indexing != to.indexing) document.expired = false;
    }
    if (is_now_off && !std::holds_alternative<Off>(from.default_ttl)) ++collection.times_off;
    const bool stays_on = is(Fault::off_twice_keeps_expiring) && is_now_off && collection.times_off > 1;
    if (!stays_on) collection.counts = to.default_ttl;
  }

  /// The ttl as it counts.
  Ttl counted(const Collection& collection, const Ttl& ttl) const {
    const bool is_off = std::holds_alternative<Off>(collection.settings.default_ttl);
    const auto* own = std::get_if<Seconds>(&ttl);
    if (is(Fault::long_ttl_is_never) && own && *own > Seconds{20}) return Never{};
    if (is(Fault::own_ttl_written_while_off_forgotten) && own && is_off) return Inherit{};
    if (is(Fault::own_never_written_while_off_inherits) && std::holds_alternative<Never>(ttl) && is_off)
      return Inherit{};
    return ttl;
  }

  /// Whether a ttl that is not valid is stored.
  bool is_kept(const DocumentKey& key, const TtlField& ttl) const {
    const auto found = collections_.find(key.collection);
    if (found == collections_.end() || valid_ttl(ttl) || std::holds_alternative<Null>(ttl)) return false;
    const bool is_off = std::holds_alternative<Off>(found->second.settings.default_ttl);
    return (is(Fault::zero_ttl_kept) && ttl == TtlField{std::int64_t{0}}) ||
           (is(Fault::any_ttl_kept_while_off) && is_off);
  }

  static void show(const TtlField& ttl, Document& document) {
    if (const auto* number = std::get_if<std::int64_t>(&ttl)) document.ttl = Seconds{*number};
    if (const auto* other = std::get_if<OtherJson>(&ttl)) document.malformed = {{"ttl", *other}};
  }

  Outcome write(Instant now, const DocumentKey& key, const Content& content, Status there, Status new_one,
                bool is_upsert = false) {
    auto ttl = is_kept(key, content.ttl) ? Ttl{} : valid_ttl(content.ttl);
    if (is(Fault::largest_ttl_rejected) && ttl == Ttl{Seconds{largest_ttl}}) ttl.reset();
    if (!ttl) return {Status::bad_request};
    if (!collections_.contains(key.collection)) return {Status::not_found};
    Collection& collection = collections_.at(key.collection);
    const Stored* old = find_stored(now, key);
    const bool is_live = old && !old->expired;
    const Status status = is_live ? there : new_one;
    if (status >= Status::bad_request) return {status};
    if (is(Fault::second_create_conflicts) && !is_upsert && old && !is_live && old->writes > 1)
      return {Status::conflict};
    Stored stored{{key.partition, key.id, content.value, now, *ttl}, now, counted(collection, *ttl)};
    if (is_live) stored.writes = old->writes + 1;
    if (is(Fault::upsert_inherits_from_the_expired) && is_upsert && old && !is_live &&
        std::holds_alternative<Inherit>(*ttl))
      stored.ttl = old->ttl;
    if (is(Fault::same_ttl_keeps_countdown) && is_live && old->shown.ttl == *ttl) stored.counts_from = old->counts_from;
    if (is(Fault::third_write_lost) && stored.writes == 3) stored.shown.value = old->shown.value;
    if (is_kept(key, content.ttl)) show(content.ttl, stored.shown);
    const Document shown = stored.shown;
    collection.documents.insert_or_assign({key.partition, key.id}, std::move(stored));
    return {.status = status, .document = shown};
  }

  Fault fault_ = Fault::none;
  std::map<std::string, Collection> collections_;
  std::map<std::string, Documents> survivors_;
};

}  // namespace mayfly::test
