#pragma once

#include <cstdint>
#include <memory>
#include <sqlite3.h>
#include <stdexcept>
#include <string>
#include <string_view>

// The part of SQLite that the journal needs, with exceptions instead of codes and destructors for clean-up.

namespace mayfly::serve {

class SqliteError : public std::runtime_error {
 public:
  explicit SqliteError(sqlite3* database)
      : std::runtime_error(sqlite3_errmsg(database)),
        code_(sqlite3_errcode(database) & 0xff),
        system_error_(sqlite3_system_errno(database)) {}

  int code() const { return code_; }                  ///< SQLITE_FULL and the like, without extensions
  int system_error() const { return system_error_; }  ///< errno, or 0

 private:
  int code_;
  int system_error_;
};

class SqliteDatabase {
 public:
  explicit SqliteDatabase(const std::string& file);

  /// Runs statements that have neither parameters nor results.
  void execute(const char* sql);

  bool is_in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }
  std::uint64_t changed_rows() const { return static_cast<std::uint64_t>(sqlite3_changes64(handle_.get())); }
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

/// A prepared statement. The parameters of one run are those given, in their order.
class SqliteStatement {
 public:
  SqliteStatement(const SqliteDatabase& database, const char* sql);

  template <class... Parameters>
  void run(const Parameters&... parameters) {
    for_each_row([] {}, parameters...);
  }

  /// Calls `show()` at each row; `number` and `text` then read its columns.
  template <class Show, class... Parameters>
  void for_each_row(Show show, const Parameters&... parameters) {
    const Reset reset{handle_.get()};
    int index = 0;
    (bind(++index, parameters), ...);
    while (step()) show();
  }

  std::int64_t number(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  std::string text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  // Otherwise the statement would hold its transaction open.
  struct Reset {
    sqlite3_stmt* handle;
    ~Reset() { sqlite3_reset(handle); }
  };

  void bind(int index, std::int64_t value);
  void bind(int index, std::string_view value);  // which must outlive the run
  bool step();
  void check(int code) const;

  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

}  // namespace mayfly::serve
