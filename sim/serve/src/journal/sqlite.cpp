#include "sqlite.hpp"

namespace mayfly::serve {

SqliteDatabase::SqliteDatabase(const std::string& file) {
  sqlite3* handle = nullptr;
  constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int code = sqlite3_open_v2(file.c_str(), &handle, flags, nullptr);
  handle_.reset(handle);  // most failures leave a handle to close, too
  if (!handle) throw std::bad_alloc();
  if (code != SQLITE_OK) throw SqliteError(handle);
}

void SqliteDatabase::execute(const char* sql) {
  if (sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) throw SqliteError(handle());
}

SqliteStatement::SqliteStatement(const SqliteDatabase& database, const char* sql) {
  sqlite3_stmt* handle = nullptr;
  if (sqlite3_prepare_v3(database.handle(), sql, -1, SQLITE_PREPARE_PERSISTENT, &handle, nullptr) != SQLITE_OK)
    throw SqliteError(database.handle());
  handle_.reset(handle);
}

std::string SqliteStatement::text(int column) const {
  const auto* start = static_cast<const char*>(sqlite3_column_blob(handle_.get(), column));
  return std::string(start ? start : "", static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column)));
}

void SqliteStatement::bind(int index, std::int64_t value) { check(sqlite3_bind_int64(handle_.get(), index, value)); }

void SqliteStatement::bind(int index, std::string_view value) {
  const char* start = value.data() ? value.data() : "";  // a null pointer would be SQL's NULL
  check(sqlite3_bind_text64(handle_.get(), index, start, value.size(), SQLITE_STATIC, SQLITE_UTF8));
}

bool SqliteStatement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code != SQLITE_DONE && code != SQLITE_ROW) check(code);
  return code == SQLITE_ROW;
}

void SqliteStatement::check(int code) const {
  if (code != SQLITE_OK) throw SqliteError(sqlite3_db_handle(handle_.get()));
}

}  // namespace mayfly::serve
