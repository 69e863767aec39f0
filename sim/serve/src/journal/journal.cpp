#include "mayfly/serve/journal/journal.hpp"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "file_watch.hpp"
#include "journal_damage.hpp"
#include "journal_file.hpp"
#include "mayfly/serve/journal/log_mark.hpp"

namespace mayfly::serve {

namespace {

using Table = JournalDamage::Table;

// Settings as the tables store them.

template <class Setting>
std::int64_t as_number(const Setting& setting) {
  if (const auto* seconds = std::get_if<Seconds>(&setting)) return seconds->count();
  return std::holds_alternative<Never>(setting) ? -1 : 0;
}

template <class Setting>
Setting as_setting(std::int64_t number) {
  Setting setting;
  if (number > 0) setting = Seconds{number};
  if (number < 0) setting = Never{};
  return setting;
}

std::int64_t as_number(Instant instant) { return instant.time_since_epoch().count(); }
Instant as_instant(std::int64_t number) { return Instant{Seconds{number}}; }

struct Statements {
  explicit Statements(const SqliteDatabase& at) : database(at) {}

  SqliteStatement prepared(const char* sql) const { return {database, sql}; }

  const SqliteDatabase& database;
  SqliteStatement begin = prepared("BEGIN IMMEDIATE");
  SqliteStatement commit = prepared("COMMIT");
  SqliteStatement fact = prepared("SELECT value FROM facts WHERE name = ?");
  SqliteStatement put_fact =
      prepared("INSERT INTO facts VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value");
  SqliteStatement put_database =
      prepared("INSERT INTO databases VALUES (?, ?) ON CONFLICT DO UPDATE SET body = excluded.body");
  // A change of the default updates the watermark and the last second for the old default.
  SqliteStatement mark_expired = prepared(R"(
      UPDATE containers SET
        watermark = CASE WHEN default_ttl > 0 THEN max(watermark, ?3 - default_ttl) ELSE watermark END,
        last_on = CASE WHEN default_ttl <> 0 THEN ?3 ELSE last_on END
      WHERE number = ?1 AND default_ttl <> ?2)");
  SqliteStatement put_container = prepared(R"(
      INSERT INTO containers (number, database, default_ttl, body) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
        database = excluded.database, default_ttl = excluded.default_ttl, body = excluded.body)");
  SqliteStatement put_item = prepared(R"(
      INSERT INTO items (container, partition, id, ts, ttl, body) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
        ts = excluded.ts, ttl = excluded.ttl, body = excluded.body)");
  SqliteStatement row_of_item = prepared("SELECT number FROM items WHERE container = ? AND partition = ? AND id = ?");
  SqliteStatement remove_item = prepared("DELETE FROM items WHERE container = ? AND partition = ? AND id = ?");
  SqliteStatement remove_items_of_container = prepared("DELETE FROM items WHERE container = ?");
  SqliteStatement remove_container = prepared("DELETE FROM containers WHERE number = ?");
  SqliteStatement remove_items_of_database =
      prepared("DELETE FROM items WHERE container IN (SELECT number FROM containers WHERE database = ?)");
  SqliteStatement remove_containers_of_database = prepared("DELETE FROM containers WHERE database = ?");
  SqliteStatement remove_database = prepared("DELETE FROM databases WHERE number = ?");
  SqliteStatement containers_with_ttl =
      prepared("SELECT number, default_ttl, watermark FROM containers WHERE default_ttl <> 0 ORDER BY number");
  SqliteStatement purge_by_age = prepared(R"(
      DELETE FROM items WHERE number IN
        (SELECT number FROM items WHERE container = ? AND ttl = 0 AND ts <= ? ORDER BY ts LIMIT ?))");
  SqliteStatement purge_by_deadline = prepared(R"(
      DELETE FROM items WHERE number IN
        (SELECT number FROM items WHERE container = ? AND ttl > 0 AND ts + ttl <= ? ORDER BY ts + ttl LIMIT ?))");
};

}  // namespace

struct Journal::Connection {
  Connection(const std::filesystem::path& path, JournalLimits limits)
      : file(path),
        mark(path),
        database(open_journal_file(path)),
        own_mark(mark, path),
        statements(prepare_tables(path, database, limits)) {
    own_mark.has_started = true;
    SqliteStatement page_size(database, "PRAGMA page_size");
    page_size.for_each_row([&] { page_bytes = static_cast<std::uint64_t>(page_size.number(0)); });
    sqlite3_wal_hook(database.handle(), &Connection::log_grew, this);
  }
  // Called after each commit. The log grows to 32 MiB before its pages are copied to the file, because copying waits
  // for the disk and most pages change often.
  static int log_grew(void* self, sqlite3* handle, const char* name, int pages) {
    constexpr std::uint64_t header = 32, page_header = 24;
    constexpr int many = 8000;
    auto& journal = *static_cast<Connection*>(self);
    const auto bytes = header + static_cast<std::uint64_t>(pages) * (page_header + journal.page_bytes);
    journal.mark.put(bytes);
    journal.watch.note_log(bytes);
    if (pages < many) return SQLITE_OK;
    sqlite3_wal_checkpoint_v2(handle, name, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    journal.watch.note_file();
    return SQLITE_OK;
  }

  std::optional<std::int64_t> fact(std::string_view name) {
    std::optional<std::int64_t> value;
    try {
      statements.fact.for_each_row([&] { value = statements.fact.number(0); }, name);
    } catch (const SqliteError& error) {
      throw journal_error(file, error);
    }
    return value;
  }

  // An exception within a transaction ends it, so that no later commit keeps the rest.
  template <class Change>
  void in_transaction(Change change) {
    if (torn) throw *torn;
    try {
      if (!database.is_in_transaction()) statements.begin.run();
      change();
    } catch (const SqliteError& error) {
      undo();
      torn = journal_error(file, error);
      throw *torn;
    }
  }

  // A transaction for a change that can be made at any later time. False if it could not be made now.
  template <class Change>
  bool alone(Change change) {
    if (watch.has_moved()) return false;
    try {
      statements.begin.run();
      change();
      statements.commit.run();
      return true;
    } catch (const SqliteError&) {
      undo();
      return false;
    }
  }

  void put_now(std::int64_t second) { statements.put_fact.run(std::string_view("now"), second); }

  // SQLite ends some transactions itself, such as one that finds the disk full.
  void undo() {
    if (database.is_in_transaction()) database.execute("ROLLBACK");
  }

  // The first column is the row's number, the second that of its parent.
  template <class Load>
  void between_transactions(JournalDamage::Table table, const char* sql, Load load) {
    assert(!database.is_in_transaction());
    if (torn) throw *torn;
    try {
      SqliteStatement row(database, sql);
      row.for_each_row([&] {
        if (!damage.covers(table, row.number(0), row.number(1))) load_row(table, row, load);
      });
    } catch (const SqliteError& error) {
      throw journal_error(file, error);
    }
  }

  template <class Load>
  void load_row(JournalDamage::Table table, const SqliteStatement& row, Load load) {
    try {
      load(row);
    } catch (const SqliteError&) {
      throw;
    } catch (const JournalError&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const DamagedRow& other) {
      damage.add(table, other.row(), other.what());
    } catch (const std::exception& problem) {
      damage.add(table, row.number(0), problem.what());
    }
  }

  std::uint64_t purge(Instant now, std::uint64_t budget);

  // Changes written to a removed or replaced file would be invisible to a later process.
  JournalError moved() const {
    return {JournalError::Kind::moved,
            fmt::format("cannot write to {}: it was removed or replaced while it was in use", file.string())};
  }

  void ensure_in_place() {
    if (!watch.has_moved()) return;
    undo();
    torn = moved();
    throw *torn;
  }

  // Removes the mark before SQLite closes the file and with it the log, also if the constructor throws. In that case
  // the caller could not ask for a loss, so a mark that shows one stays for the next start.
  struct OwnMark {
    OwnMark(LogMark& of_file, const std::filesystem::path& path) : mark(of_file) { mark.own(path); }
    ~OwnMark() {
      if (has_started || !mark.loss()) mark.remove();
    }
    LogMark& mark;
    bool has_started = false;
  };

  std::filesystem::path file;
  LogMark mark;
  SqliteDatabase database;
  OwnMark own_mark;
  std::uint64_t page_bytes = 4096;
  Statements statements;
  FileWatch watch{file};
  std::int64_t now = fact("now").value_or(0);
  std::optional<JournalError> torn;
  JournalDamage damage;
};

Journal::Journal(const std::filesystem::path& file, JournalLimits limits) try
    : connection_(std::make_unique<Connection>(file, limits)) {
} catch (const SqliteError& error) {
  throw journal_error(file, error);
}
Journal::~Journal() = default;
Journal::Journal(Journal&&) noexcept = default;
Journal& Journal::operator=(Journal&&) noexcept = default;

std::optional<std::string> Journal::loss() const { return connection_->mark.loss(); }
Instant Journal::now() const { return as_instant(connection_->now); }

void Journal::for_each_database(const std::function<void(const DatabaseRecord&)>& show) const {
  connection_->between_transactions(Table::databases, "SELECT number, 0, body FROM databases ORDER BY number",
                                    [&](const SqliteStatement& row) {
                                      show({row.number(0), row.text(2)});
                                    });
}

void Journal::for_each_container(const std::function<void(const ContainerRecord&)>& show) const {
  connection_->between_transactions(
      Table::containers, "SELECT number, database, default_ttl, body FROM containers ORDER BY number",
      [&](const SqliteStatement& row) {
        show({row.number(0), row.number(1), as_setting<DefaultTtl>(row.number(2)), row.text(3)});
      });
}

void Journal::for_each_item(const std::function<void(const ItemRecord&)>& show) const {
  constexpr auto not_marked_expired = R"(
      SELECT i.number, i.container, i.partition, i.id, i.ts, i.ttl, i.body
      FROM items AS i LEFT JOIN containers AS c ON c.number = i.container
      WHERE c.number IS NULL OR CASE WHEN i.ttl = 0 THEN i.ts > c.watermark WHEN i.ttl > 0 THEN i.ts + i.ttl > c.last_on ELSE TRUE END
      ORDER BY i.ts, i.number)";
  connection_->between_transactions(Table::items, not_marked_expired, [&](const SqliteStatement& row) {
    show({row.number(1), row.text(2), row.text(3), as_instant(row.number(4)), as_setting<Ttl>(row.number(5)),
          row.text(6)});
  });
}

std::optional<std::int64_t> Journal::row_of(std::int64_t container, std::string_view partition,
                                            std::string_view id) const {
  std::optional<std::int64_t> number;
  auto& row = connection_->statements.row_of_item;
  try {
    row.for_each_row([&] { number = row.number(0); }, container, partition, id);
  } catch (const SqliteError& error) {
    throw journal_error(connection_->file, error);
  }
  return number;
}

void Journal::ensure_sound() {
  const JournalDamage damage = std::exchange(connection_->damage, {});
  if (damage.is_any()) throw damage.error(connection_->file);
}

std::optional<std::int64_t> Journal::fact(std::string_view name) const {
  assert(name != "now");
  return connection_->fact(name);
}

void Journal::begin() {
  auto& journal = *connection_;
  const bool is_new = !journal.torn && !journal.database.is_in_transaction();
  if (is_new && journal.watch.has_moved()) throw journal.moved();
  journal.in_transaction([] {});
}

void Journal::put(const DatabaseRecord& database) {
  connection_->in_transaction([&] { connection_->statements.put_database.run(database.number, database.body); });
}

void Journal::put(const ContainerRecord& container, Instant now) {
  const auto default_ttl = as_number(container.default_ttl);
  connection_->in_transaction([&] {
    connection_->statements.mark_expired.run(container.number, default_ttl, as_number(now));
    connection_->statements.put_container.run(container.number, container.database, default_ttl, container.body);
  });
}

void Journal::put(const ItemRecord& item) {
  connection_->in_transaction([&] {
    connection_->statements.put_item.run(item.container, item.partition, item.id, as_number(item.ts),
                                         as_number(item.ttl), item.body);
  });
}

void Journal::put_fact(std::string_view name, std::int64_t value) {
  assert(name != "now");
  connection_->in_transaction([&] { connection_->statements.put_fact.run(name, value); });
}

void Journal::remove_database(std::int64_t number) {
  connection_->in_transaction([&] {
    connection_->statements.remove_items_of_database.run(number);
    connection_->statements.remove_containers_of_database.run(number);
    connection_->statements.remove_database.run(number);
  });
}

void Journal::remove_container(std::int64_t number) {
  connection_->in_transaction([&] {
    connection_->statements.remove_items_of_container.run(number);
    connection_->statements.remove_container.run(number);
  });
}

void Journal::remove_item(std::int64_t container, std::string_view partition, std::string_view id) {
  connection_->in_transaction([&] { connection_->statements.remove_item.run(container, partition, id); });
}

void Journal::clear() {
  connection_->in_transaction(
      [&] { connection_->database.execute("DELETE FROM items; DELETE FROM containers; DELETE FROM databases"); });
}

std::uint64_t Journal::Connection::purge(Instant now_given, std::uint64_t budget) {
  struct Container {
    std::int64_t number, default_ttl, watermark;
  };
  std::vector<Container> containers;
  auto& row = statements.containers_with_ttl;
  row.for_each_row([&] { containers.push_back({row.number(0), row.number(1), row.number(2)}); });
  const auto second = as_number(now_given);
  std::uint64_t purged = 0;
  const auto purge_with = [&](SqliteStatement& statement, std::int64_t container, std::int64_t until) {
    statement.run(container, until, static_cast<std::int64_t>(budget - purged));
    purged += database.changed_rows();
  };
  for (const auto& [number, default_ttl, watermark] : containers) {
    purge_with(statements.purge_by_age, number,
               default_ttl > 0 ? std::max(watermark, second - default_ttl) : watermark);
    purge_with(statements.purge_by_deadline, number, second);
  }
  return purged;
}

std::uint64_t Journal::purge(Instant now, Budget budget) {
  auto& journal = *connection_;
  if (journal.torn) throw *journal.torn;
  std::uint64_t purged = 0;
  const auto most = std::min<std::uint64_t>(budget.units, std::numeric_limits<std::int64_t>::max());
  const auto purge = [&] { purged = journal.purge(now, most); };
  if (!journal.database.is_in_transaction()) return journal.alone(purge) ? purged : 0;
  journal.in_transaction(purge);
  return purged;
}

void Journal::put_now(Instant now) {
  connection_->in_transaction([&] { connection_->put_now(as_number(now)); });
}

void Journal::commit(Instant now) {
  auto& journal = *connection_;
  if (journal.torn) throw *journal.torn;
  const auto second = as_number(now);
  const auto put_time = [&] {
    if (second != journal.now) journal.put_now(second);
  };
  if (!journal.database.is_in_transaction()) {
    if (second != journal.now && journal.alone(put_time)) journal.now = second;
    return;
  }
  journal.ensure_in_place();
  journal.in_transaction([&] {
    put_time();
    journal.statements.commit.run();
  });
  journal.now = second;
}

void Journal::roll_back() {
  connection_->undo();
  connection_->torn.reset();
}

}  // namespace mayfly::serve
