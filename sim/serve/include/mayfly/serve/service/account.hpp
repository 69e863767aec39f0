#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "mayfly/serve/journal/journal.hpp"
#include "mayfly/serve/service/container.hpp"
#include "mayfly/sim/engine/engine.hpp"

namespace mayfly::serve {

/// Where an item is in its container.
struct ItemPlace {
  std::string partition;
  std::string id;
};

/// The databases, their containers, and through the engine the items. Every second that it is given is at or after the
/// one before.
///
/// A container is a collection of the engine, under a name that is never used again. All rules of TTL are the engine's.
class Account {
 public:
  using Databases = std::map<std::string, Database, std::less<>>;

  /// Without a journal. `start` tells servers apart: none takes the continuation tokens of another.
  explicit Account(std::int64_t start = 0) : starts_(start) {}
  /// Takes over what the journal has, and tells it every change from then on.
  explicit Account(Journal journal);

  const Databases& databases() const { return databases_; }
  const Engine& engine() const { return engine_; }

  // By name or by resource id, in this order. They throw Refusal if there is none.
  Database& database(std::string_view name_or_rid);
  Container& container(Database& database, std::string_view name_or_rid);
  /// Whether the database was named by its resource id: then what is below it is too.
  bool is_by_rid(std::string_view name_or_rid) const;

  Database& create_database(Instant now, const std::string& id);
  void delete_database(const Database& database);
  Container& create_container(Instant now, Database& database, ContainerDefinition definition);
  void replace_container(Instant now, Container& container, ContainerDefinition definition);
  void delete_container(Instant now, Database& database, const Container& container);

  /// An item's number or version: each is given once.
  std::uint64_t next_number();

  Outcome read_item(Instant now, const Container& container, const ItemPlace& place) const;
  /// Creates or replaces it. Requires a valid ttl.
  Outcome put_item(Instant now, const Container& container, const ItemPlace& place, Content content);
  Outcome erase_item(Instant now, const Container& container, const ItemPlace& place);

  /// Where the item with this number is, if it is live.
  std::optional<ItemPlace> place_of(Instant now, const Container& container, std::uint64_t number);

  /// How continuation tokens of this container's items begin: another after each load of a journal and after each
  /// reset, because slots are then given out anew.
  std::string token_start(const Container& container) const;

  /// Deletes expired items, and counts them by container.
  std::uint64_t purge(Instant now, Budget budget);
  /// Lets the lazy indexes catch up.
  void index(Instant now, Budget budget);

  /// Everything is gone. Numbers go on.
  void reset(Instant now);

  bool has_journal() const { return journal_.has_value(); }
  /// The second from which a clock may go on.
  Instant earliest_now() const;
  /// A clock was moved: that is to last as well.
  void clock_moved(Instant now);
  /// Makes all changes since the last time lasting. Throws JournalError.
  void commit(Instant now);
  /// Goes back to what was last committed.
  void roll_back();

 private:
  using PlacesByNumber = boost::unordered_flat_map<std::uint64_t, ItemPlace>;

  /// An item that an older version wrote under another partition.
  struct MovedItem {
    ItemRecord record;
    const Container* container;
    std::string partition;
  };

  void load();
  void load_database(const DatabaseRecord& record);
  const Container& load_container(const ContainerRecord& record);
  /// The partition of an item that was read from a file. Throws if the record is damaged.
  static std::string partition_in(const Container& container, const ItemRecord& record);
  void load_item(const Container& container, const ItemRecord& record, const std::string& partition);
  /// The journal's row of an item that was loaded from it.
  std::int64_t row_of_held(std::int64_t container, const Document& held) const;
  /// Call it before each change, while there is nothing to undo. Throws JournalError if the journal takes none.
  void begin_change();
  void write_moved_items();
  /// For what the next start can do as well: a full journal is no error, and is left as it was.
  template <class Change>
  void if_there_is_room(Change change);
  void record(const Database& database);
  void record(const Container& container, Instant now);
  void remember(const Container& container, std::string_view value, const ItemPlace& place);
  std::uint32_t next_resource();

  Databases databases_;
  Engine engine_;
  std::uint32_t last_resource_ = 0;
  std::uint64_t last_number_ = 0;
  std::int64_t starts_ = 0;     ///< servers that have opened this journal
  std::uint64_t loads_ = 0;     ///< loads and resets since this start
  std::uint64_t reserved_ = 0;  ///< up to this number, the journal knows that they may be in use
  // Only old clients name items by number. So a container gets a list when a client first does; entries of items that
  // are gone are found out when they are asked for, and swept when they are as many as the items.
  boost::unordered_flat_map<std::uint32_t, PlacesByNumber> places_;
  std::optional<Journal> journal_;
  /// Whether each row of the journal has the partition that this version writes, so that reloading need not ask.
  bool has_checked_rows_ = false;
  /// Those that the journal still has under the old partition, because it had no room for another. The next change
  /// writes them first: a change by the new partition would miss the row.
  std::vector<MovedItem> moved_items_;
};

}  // namespace mayfly::serve
