#include "journal_file.hpp"

#include <cstring>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

namespace mayfly::serve {

namespace {

constexpr int format_version = 1;
constexpr auto read_only = "it is read-only";
constexpr int application_id = 0x4d617966;  // "Mayf": distinguishes Mayfly's files from other databases

// A ttl is stored as a number: 0 is off for a container, and inherit for an item; -1 is never. The two indexes serve
// purging, and an item is in at most one of them.
constexpr auto tables = R"(
CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO facts VALUES ('now', 0);
CREATE TABLE databases (number INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
CREATE TABLE containers (
  number INTEGER PRIMARY KEY,
  database INTEGER NOT NULL,
  default_ttl INTEGER NOT NULL CHECK (default_ttl BETWEEN -1 AND 2147483647),
  watermark INTEGER NOT NULL DEFAULT -1,
  last_on INTEGER NOT NULL DEFAULT -1,
  body TEXT NOT NULL) STRICT;
CREATE TABLE items (
  number INTEGER PRIMARY KEY,
  container INTEGER NOT NULL,
  partition TEXT NOT NULL,
  id TEXT NOT NULL,
  ts INTEGER NOT NULL CHECK (ts BETWEEN 0 AND 253402300799),
  ttl INTEGER NOT NULL CHECK (ttl BETWEEN -1 AND 2147483647),
  body TEXT NOT NULL,
  UNIQUE (container, partition, id)) STRICT;
CREATE INDEX items_by_age ON items (container, ts) WHERE ttl = 0;
CREATE INDEX items_by_deadline ON items (container, ts + ttl) WHERE ttl > 0;
)";

// The lock is SQLite's own and ends with the process, however it ends. With it, the WAL needs no shared memory.
void lock(SqliteDatabase& database) {
  sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  database.execute(
      "PRAGMA trusted_schema=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
      "PRAGMA cache_size=-65536; BEGIN IMMEDIATE; COMMIT");
}

std::int64_t number_of(const SqliteDatabase& database, const char* sql) {
  std::int64_t number = 0;
  SqliteStatement statement(database, sql);
  statement.for_each_row([&] { number = statement.number(0); });
  return number;
}

JournalError refusal(const std::filesystem::path& file, const std::string& why) {
  return {JournalError::Kind::unusable, fmt::format("cannot use {}: {}", file.string(), why)};
}

void ensure_tables(const std::filesystem::path& file, SqliteDatabase& database) {
  const auto application = number_of(database, "PRAGMA application_id");
  const auto version = number_of(database, "PRAGMA user_version");
  if (application == 0 && number_of(database, "SELECT count(*) FROM sqlite_schema") == 0) {
    database.execute(fmt::format("BEGIN; PRAGMA application_id={}; PRAGMA user_version={}; {} COMMIT", application_id,
                                 format_version, tables)
                         .c_str());
  } else if (application != application_id) {
    throw refusal(file, "it is the database of another program");
  } else if (version > format_version) {
    throw refusal(file, fmt::format("it was written by a newer version of mayfly (its format is {}, this one's {})",
                                    version, format_version));
  }
}

std::string reason(const std::filesystem::path& file, const SqliteError& error) {
  // SQLite opens a file without write permission for reading only, and reports a new file in such a folder as missing.
  const auto folder = std::filesystem::absolute(file).parent_path();
  const bool is_writable = ::access(folder.c_str(), F_OK) != 0 || ::access(folder.c_str(), W_OK) == 0;
  if (error.code() == SQLITE_CANTOPEN && !is_writable) return fmt::format("{} is not writable", folder.string());
  switch (error.code()) {
    case SQLITE_BUSY:
      return "another process is using it";
    case SQLITE_NOTADB:
      return "it is not a database";
    case SQLITE_CORRUPT:
      return "it is damaged";
    case SQLITE_READONLY:
      return read_only;
    case SQLITE_FULL:
      return "there is no room left";
    default:
      return error.system_error() == 0 ? error.what() : std::strerror(error.system_error());
  }
}

}  // namespace

JournalError journal_error(const std::filesystem::path& file, const SqliteError& error) {
  JournalError unusable = refusal(file, reason(file, error));
  return error.code() == SQLITE_FULL ? JournalError(JournalError::Kind::full, unusable.what()) : unusable;
}

SqliteDatabase open_journal_file(const std::filesystem::path& file) {
  try {
    SqliteDatabase database(std::filesystem::absolute(file).string());  // otherwise ":memory:" would not be a file
    if (sqlite3_db_readonly(database.handle(), "main") == 1) throw refusal(file, read_only);
    lock(database);
    return database;
  } catch (const SqliteError& error) {
    throw journal_error(file, error);
  }
}

SqliteDatabase& prepare_tables(const std::filesystem::path& file, SqliteDatabase& database, JournalLimits limits) {
  try {
    ensure_tables(file, database);
    database.execute(fmt::format("PRAGMA max_page_count={}", limits.pages).c_str());
    return database;
  } catch (const SqliteError& error) {
    throw journal_error(file, error);
  }
}

}  // namespace mayfly::serve
