#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "mayfly/serve/journal/journal.hpp"
#include "mayfly/serve/service/container.hpp"
#include "mayfly/serve/service/effective_key.hpp"
#include "mayfly/serve/service/item_order.hpp"
#include "mayfly/sim/engine/engine.hpp"

namespace mayfly::serve {

/// The identity of an item in its container.
struct ItemPlace {
  std::string partition;
  std::string id;
};

/// The databases, their containers, and through the engine the items. Seconds passed to it never decrease.
///
/// A container is a collection of the engine, under a name that is never used again. The engine implements all rules of
/// TTL.
class Account {
 public:
  using Databases = std::map<std::string, Database, std::less<>>;

  /// Without a journal. `start` distinguishes servers, so that none accepts continuation tokens of another.
  explicit Account(std::int64_t start = 0) : starts_(start) {}
  /// Loads the journal's content, and records every further change in it.
  explicit Account(Journal journal);

  const Databases& databases() const { return databases_; }
  const Engine& engine() const { return engine_; }

  // By name or by resource id, in this order. They throw Refusal if the resource does not exist.
  Database& database(std::string_view name_or_rid);
  Container& container(Database& database, std::string_view name_or_rid);
  /// Whether the text names a database by its resource id: then the rest of the address consists of resource ids too.
  bool is_by_rid(std::string_view name_or_rid) const;

  /// `throughput` is the content of its offer, here and below.
  Database& create_database(Instant now, const std::string& id, std::optional<boost::json::object> throughput = {});
  void delete_database(const Database& database);
  Container& create_container(Instant now, Database& database, ContainerDefinition definition,
                              std::optional<boost::json::object> throughput = {});
  void replace_container(Instant now, Container& container, ContainerDefinition definition);
  void delete_container(Instant now, Database& database, const Container& container);

  /// Requires that the database or container with this number has an offer.
  void replace_offer(Instant now, std::uint32_t number, boost::json::object throughput);

  /// An item's number or version: never the same twice.
  std::uint64_t next_number();

  Outcome read_item(Instant now, const Container& container, const ItemPlace& place) const;
  /// Creates or replaces the item. Requires a valid ttl.
  Outcome put_item(Instant now, const Container& container, const ItemPlace& place, Content content);
  Outcome erase_item(Instant now, const Container& container, const ItemPlace& place);

  /// The place of the item with this number, if it is live.
  std::optional<ItemPlace> place_of(Instant now, const Container& container, std::uint64_t number) const;

  /// Which items a walk shows.
  struct Selection {
    engine::Sight sight;
    std::optional<std::string> partition;  ///< only of this partition, if given
    std::uint64_t after = 0;               ///< only items with a greater number
    std::optional<KeyRange> range;         ///< only of partitions in it, if given

    bool has(std::string_view of) const { return (!partition || of == *partition) && (!range || range->has(of)); }
  };
  /// Visits items in the order of their numbers, until `visit` answers false. What it looks at and does not show is
  /// visited with nullptr.
  void walk(Instant now, const Container& container, const Selection& selection,
            const std::function<bool(std::uint64_t number, const engine::StoredDocument*)>& visit) const;

  /// The id of the latest item that was written with this text of a unique key. It may be gone or have another now.
  std::optional<std::string> holder_of(const Container& container, const std::string& unique_key) const;

  /// The number of the latest write.
  std::uint64_t last_number() const { return last_number_; }

  /// Where a walk over the latest writes has arrived.
  struct WriteMark {
    std::uint64_t version = 0;  ///< of the last write that was visited
    bool is_last = false;       ///< whether no later one was left
  };

  /// Calls `show` for the live items of the container whose latest write is after this version, in the order of these
  /// writes, until it answers false or many writes were visited.
  WriteMark walk_writes(Instant now, const Container& container, std::uint64_t after,
                        const std::function<bool(const Document&)>& show);

  /// The beginning of the etags of this container's change feed. It stays as long as its versions mean the same.
  std::string feed_start(const Container& container) const;

  /// The beginning of continuation tokens of this container's items. It changes with each load of a journal and each
  /// reset, because slots are then assigned anew.
  std::string token_start(const Container& container) const;

  /// Deletes expired items, counts them by container, and returns their number.
  std::uint64_t purge(Instant now, Budget budget);
  /// Lets the lazy indexes catch up.
  void index(Instant now, Budget budget);

  /// Deletes everything. Numbers continue.
  void reset(Instant now);

  bool has_journal() const { return journal_.has_value(); }
  /// The earliest second from which a clock may continue.
  Instant earliest_now() const;
  /// Records in the journal that a clock was moved.
  void clock_moved(Instant now);
  /// Makes all changes since the last commit lasting. Throws JournalError.
  void commit(Instant now);
  /// Goes back to the last commit.
  void roll_back();

 private:
  struct Write {
    std::uint64_t version = 0;
    ItemPlace place;
  };

  /// An item that an older version of the server wrote under another partition.
  struct MovedItem {
    ItemRecord record;
    const Container* container;
    std::string partition;
  };

  void load();
  void load_database(const DatabaseRecord& record);
  const Container& load_container(const ContainerRecord& record);
  /// The partition of an item from the file. Throws if the record is damaged.
  static std::string partition_in(const Container& container, const ItemRecord& record);
  void load_item(const Container& container, const ItemRecord& record, const std::string& partition);
  /// The journal's row of an item that was loaded from the journal.
  std::int64_t row_of_held(std::int64_t container, const Document& held) const;
  /// Call it before each change, while there is nothing to undo. Throws JournalError if the journal cannot take a
  /// change.
  void begin_change();
  void write_moved_items();
  /// For a change that the next start can make as well: if the journal is full, it is left as it was, without an error.
  template <class Change>
  void if_there_is_room(Change change);
  void record(const Database& database);
  void record(const Container& container, Instant now);
  std::optional<Offer> new_offer(Instant now, std::optional<boost::json::object>& throughput);
  /// Adds a new item to the order of its container. Requires that the item is live.
  void remember(Instant now, const Container& container, std::string_view value, const ItemPlace& place);
  void note_write(const Container& container, std::string_view value, const ItemPlace& place);
  void note_unique_keys(Instant now, const Container& container, const Content& content, const ItemPlace& place);
  void forget(const Container& container);
  std::vector<Write>& writes_of(Instant now, const Container& container);
  std::uint32_t next_resource();

  Databases databases_;
  Engine engine_;
  std::uint32_t last_resource_ = 0;
  std::uint64_t last_number_ = 0;
  std::int64_t starts_ = 0;     ///< servers that have opened this journal
  std::uint64_t loads_ = 0;     ///< loads and resets since this start
  std::uint64_t reserved_ = 0;  ///< the journal records that numbers up to this one may be in use
  boost::unordered_flat_map<std::uint32_t, ItemOrder> orders_;  ///< by the container's number
  // Writes in the order of their versions, once a client has read the container's change feed. Each write adds one. An
  // entry is outdated if the item is gone or has been written again.
  boost::unordered_flat_map<std::uint32_t, std::vector<Write>> writes_;
  // Of containers with unique keys, the ids of the items by the texts of their keys. An entry is outdated if the item
  // is gone or has another key. Such entries are swept when there are as many as others.
  boost::unordered_flat_map<std::uint32_t, boost::unordered_flat_map<std::string, ItemPlace>> unique_;
  std::optional<Journal> journal_;
  /// Whether each row of the journal has the partition that this version writes, so that reloading need not check.
  bool has_checked_rows_ = false;
  /// Items whose journal rows still have the old partition, because there was no room for the new one. The next change
  /// writes them first, because a change by the new partition would miss the old row.
  std::vector<MovedItem> moved_items_;
};

}  // namespace mayfly::serve
