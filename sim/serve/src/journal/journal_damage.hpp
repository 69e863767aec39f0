#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "mayfly/serve/journal/journal.hpp"

namespace mayfly::serve {

/// The rows of a journal that could not be loaded. Rows that belong to a damaged database or container are not counted:
/// they are deleted with it.
class JournalDamage {
 public:
  enum class Table { databases, containers, items };

  void add(Table table, std::int64_t row, const std::string& why);

  /// Whether the row's parent is damaged, or belongs to something damaged: the row must then be left out.
  bool covers(Table table, std::int64_t row, std::int64_t parent);

  bool is_any() const { return count_ > 0; }

  /// Names the first rows, and an SQL statement that deletes them all.
  JournalError error(const std::filesystem::path& file) const;

 private:
  /// For an SQL list: `1, 2, 3`.
  using Rows = std::set<std::int64_t>;
  static std::string list(const Rows& rows);
  std::string deletion() const;

  Rows databases_, containers_, items_;
  Rows covered_containers_;
  std::vector<std::string> first_;
  std::size_t count_ = 0;
};

}  // namespace mayfly::serve
