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

// The file behind `--data`: everything that a restarted server needs to continue as if nothing had happened.
//
// It is an SQLite database, because SQLite survives a kill at any moment, and is tested for that. Its log is a WAL with
// `synchronous=NORMAL`: a commit hands its pages to the operating system, so a killed server loses nothing that it
// committed. A power cut or a crash of the system may lose the last commits, each as a whole and the latest first; the
// file stays sound. `FULL` would save those too, but each commit would wait for the disk, which is too slow for a
// server for tests.
//
// Expiry survives as well, though the file keeps no list of expired items. Whether an item is expired follows from its
// `_ts` and ttl, the default, now, and the defaults of the past (X4). Of the past, two seconds are kept beside each
// container's default, and change with it in one transaction:
//   - the watermark, the highest `now - n` that was reached while a default of the past was n: an item that inherits
//     and was written at or before it has expired (E1, W5);
//   - the last second in which TTL was on under a default of the past: an item with a ttl of its own, and a deadline at
//     or before it, has expired (E3). While TTL is off it stands still (F1).
//
// Loading leaves out the items that are expired by these two. The remaining items did not expire under a default of the
// past, so each is expired exactly if the present default says so (E1-E3), also if its deadline passed while TTL was
// off (F3). An engine that receives the remaining items under the present default, each at its `_ts`, therefore answers
// as the previous one did: its own watermarks start anew, but every item that the old ones had expired is gone. A
// change from never to n, or back, advances the last second, but only over deadlines that have passed anyway (W6). A
// write sets `_ts` to now, above both.
//
// Time is part of the data: a commit stores its second, and time never continues from an earlier one.

namespace mayfly::serve {

/// The file is unusable, or could not take a write. The message is for the user and names the file.
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

/// Thrown while a row is loaded: another row of the table is damaged.
class DamagedRow : public std::runtime_error {
 public:
  DamagedRow(std::int64_t row, const std::string& why) : std::runtime_error(why), row_(row) {}
  std::int64_t row() const { return row_; }

 private:
  std::int64_t row_;
};

/// A database of the account. The server chooses the numbers and never uses one twice; only the server interprets the
/// body.
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
  std::uint32_t pages = std::numeric_limits<std::uint32_t>::max();  ///< of 4 KiB; the file is full when it has as many
};

/// Used by one thread. All changes until `commit` belong to one transaction, so several requests can share one; their
/// answers must be sent after the commit. If a change or a commit throws, all changes since the last commit are undone,
/// and every function except `roll_back` throws, so that no part of the torn transaction is committed. The server then
/// answers every request of the transaction with an error, rolls back, and loads again, because its own store contains
/// changes that the journal does not.
class Journal {
 public:
  /// Opens or creates the file, and locks out every other process until the end. Throws JournalError.
  explicit Journal(const std::filesystem::path& file, JournalLimits limits = {});
  ~Journal();
  Journal(Journal&&) noexcept;
  Journal& operator=(Journal&&) noexcept;

  /// The loss that happened before the file was opened, as a sentence for the user; nothing if there was none.
  std::optional<std::string> loss() const;

  /// The second of the last commit, at or after every `_ts`: no clock may start before it. 1970 in a new file.
  Instant now() const;

  // Loading, at any time between transactions: first databases, then containers, then items, then `ensure_sound`. A row
  // for which `show` throws is damaged, and the rows that belong to it are left out.

  void for_each_database(const std::function<void(const DatabaseRecord&)>& show) const;    ///< by number
  void for_each_container(const std::function<void(const ContainerRecord&)>& show) const;  ///< by number
  /// In the order of `_ts`, which engines need, and without the items that expired under a default of the past.
  void for_each_item(const std::function<void(const ItemRecord&)>& show) const;
  /// The number of an item's row, or nothing.
  std::optional<std::int64_t> row_of(std::int64_t container, std::string_view partition, std::string_view id) const;
  /// Throws a JournalError that names the damaged rows found since the last call, if there are any.
  void ensure_sound();
  /// The number that was stored under this name: a counter, or the kind of clock.
  std::optional<std::int64_t> fact(std::string_view name) const;

  // Changes. `put` creates or replaces.

  /// Begins a transaction, if there is none. Every change does that too. But if the file was removed or replaced, this
  /// throws while there is nothing to undo, so no `roll_back` is needed. Call it before changing the store that the
  /// journal belongs to.
  void begin();
  void put(const DatabaseRecord& database);
  /// `now` is the second in which the container's default changes, if it does.
  void put(const ContainerRecord& container, Instant now);
  void put(const ItemRecord& item);
  void put_fact(std::string_view name, std::int64_t value);
  void remove_database(std::int64_t number);   ///< with its containers and items
  void remove_container(std::int64_t number);  ///< with its items
  void remove_item(std::int64_t container, std::string_view partition, std::string_view id);
  /// Deletes all databases, containers and items. Facts and the time stay.
  void clear();

  /// Records that a clock was moved to this second. That is a change by itself, unlike time that passes.
  void put_now(Instant now);

  /// Ends the transaction: a kill afterwards loses none of its changes. If only the time changed and there is no room
  /// to store it, that is no error, so a full disk does not prevent reading.
  void commit(Instant now);
  /// Undoes the changes since the last commit.
  void roll_back();

  /// Deletes at most `budget` expired items of containers whose TTL is on (P3-P5), and returns their number. Between
  /// transactions the deletion is lasting at once, or does not happen if the file cannot take it: no answer depends on
  /// it (P1).
  std::uint64_t purge(Instant now, Budget budget);

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace mayfly::serve
