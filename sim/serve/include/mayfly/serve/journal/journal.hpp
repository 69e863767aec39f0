#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "mayfly/model/outcome.hpp"
#include "mayfly/model/time.hpp"
#include "mayfly/model/ttl.hpp"

// The file behind `--data`: what a restarted server needs to go on as if nothing had happened.
//
// It is an SQLite database, because what it must survive, a kill at any moment, SQLite survives and is tested for.
// Its log is a WAL with `synchronous=NORMAL`: a commit hands its pages to the operating system, so a killed server
// loses nothing that it committed. A power cut or a crash of the system may lose the last commits, each as a whole and
// the latest first; the file stays sound. `FULL` would save those too, for a wait on the disk with each commit, which a
// server for tests does not want.
//
// Expiry survives as well, though the file keeps no list of what is expired. Whether an item is expired follows from
// its `_ts` and ttl, the default, now, and the defaults of the past (X4). Of the past, two seconds are kept beside each
// container's default, and change with it in one transaction:
//   - the watermark, the highest `now - n` that was reached while a default of the past was n: what inherits and was
//     written at or before it has expired (E1, W5);
//   - the last second in which TTL was on under a default of the past: what has a ttl of its own, and a deadline at or
//     before it, has expired (E3). While TTL is off it stands still (F1).
// Loading leaves out what is expired by them. What remains did not expire under a default of the past, so it is expired
// exactly if the present default says so (E1-E3), also if its deadline passed while TTL was off (F3). An engine that is
// given the remaining items under the present default, each at its `_ts`, therefore answers as the one before did: its
// own watermarks start anew, but whatever the old ones had expired is gone. A change from never to n, or back, moves
// the last second on, and that only over deadlines that have passed anyway (W6). A write sets `_ts` to now, above both.
//
// Time is part of it: a commit says the second it was made in, and time never goes on from an earlier one.

namespace mayfly::serve {

/// The file cannot be used, or could not take a write. The message is for the user and names the file.
class JournalError : public std::runtime_error {
 public:
  enum class Kind {
    unusable,
    full,
    moved,  ///< removed or replaced while it was in use
  };
  JournalError(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

/// Thrown while a row is loaded, it says that another row of the table is damaged.
class DamagedRow : public std::runtime_error {
 public:
  DamagedRow(std::int64_t row, const std::string& why) : std::runtime_error(why), row_(row) {}
  std::int64_t row() const { return row_; }

 private:
  std::int64_t row_;
};

/// A database of the account. Numbers are the server's, and never used twice; the body is its business alone.
struct DatabaseRecord {
  std::int64_t number = 0;
  std::string body;
  bool operator==(const DatabaseRecord&) const = default;
};

struct ContainerRecord {
  std::int64_t number = 0;
  std::int64_t database = 0;
  DefaultTtl default_ttl;
  std::string body;
  bool operator==(const ContainerRecord&) const = default;
};

struct ItemRecord {
  std::int64_t container = 0;
  std::string partition;
  std::string id;
  Instant ts;
  Ttl ttl;
  std::string body;
  bool operator==(const ItemRecord&) const = default;
};

struct JournalLimits {
  std::uint32_t pages = std::numeric_limits<std::uint32_t>::max();  ///< of 4 KiB; beyond them the file is full
};

/// Used by one thread. Changes belong to one transaction until `commit`, so that requests can share one: answer them
/// after it. If a change or a commit throws, all changes since the last commit are undone, and everything but
/// `roll_back` throws, so that nothing of the torn transaction is committed unnoticed. The server then answers every
/// request of the transaction with an error, rolls back, and loads again, because its own store has what the journal
/// has not.
class Journal {
 public:
  /// Opens the file, or creates it, and keeps every other process out until the end. Throws JournalError.
  explicit Journal(const std::filesystem::path& file, JournalLimits limits = {});
  ~Journal();
  Journal(Journal&&) noexcept;
  Journal& operator=(Journal&&) noexcept;

  /// What was lost before the file was opened, as a sentence for the user; nothing if nothing was.
  std::optional<std::string> loss() const;

  /// The second of the last commit, at or after every `_ts`: no clock may start before it. 1970 in a new file.
  Instant now() const;

  // Loading, at any time between transactions: databases, containers, items, then `ensure_sound`. A row for which
  // `show` throws is damaged, and what is within it is left out.

  void for_each_database(const std::function<void(const DatabaseRecord&)>& show) const;    ///< by number
  void for_each_container(const std::function<void(const ContainerRecord&)>& show) const;  ///< by number
  /// In the order of `_ts`, as engines want it, and not those that expired under a default of the past.
  void for_each_item(const std::function<void(const ItemRecord&)>& show) const;
  /// The number of an item's row, if there is one.
  std::optional<std::int64_t> row_of(std::int64_t container, std::string_view partition, std::string_view id) const;
  /// Throws a JournalError that names the damaged rows that were met since the last time, if there were any.
  void ensure_sound();
  /// A number that was put under this name: a counter, or the kind of clock.
  std::optional<std::int64_t> fact(std::string_view name) const;

  // Changes. Putting is creating or replacing.

  /// Begins a transaction, if there is none. A change does that too, but this throws before there is anything to undo
  /// if the file was removed or replaced: no `roll_back` is needed then. Call it before changing the store that the
  /// journal belongs to.
  void begin();
  void put(const DatabaseRecord& database);
  /// `now` is when the container's default changes, if it does.
  void put(const ContainerRecord& container, Instant now);
  void put(const ItemRecord& item);
  void put_fact(std::string_view name, std::int64_t value);
  void remove_database(std::int64_t number);   ///< with its containers and items
  void remove_container(std::int64_t number);  ///< with its items
  void remove_item(std::int64_t container, std::string_view partition, std::string_view id);
  /// Forgets all databases, containers and items. Facts and the time stay.
  void clear();

  /// A clock was moved to this second: a change of its own, unlike time that passes.
  void put_now(Instant now);

  /// After it, a kill loses none of the changes. Where nothing changed but the time, that is kept if there is room, and
  /// is no error otherwise, so that a full disk does not get in the way of reading.
  void commit(Instant now);
  /// Undoes the changes since the last commit.
  void roll_back();

  /// Forgets at most `budget` expired items of containers whose TTL is on (P3-P5), and says how many. Between
  /// transactions it is lasting at once, or not done if the file cannot take it: no answer depends on it (P1).
  std::uint64_t purge(Instant now, Budget budget);

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace mayfly::serve
