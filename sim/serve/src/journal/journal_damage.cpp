#include "journal_damage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mayfly::serve {

namespace {

constexpr std::size_t most_named = 10;
// A shell accepts 128 KiB in one argument.
constexpr std::size_t most_deleted = 5000;

const char* name_of(JournalDamage::Table table) {
  switch (table) {
    case JournalDamage::Table::databases:
      return "databases";
    case JournalDamage::Table::containers:
      return "containers";
    case JournalDamage::Table::items:
      break;
  }
  return "items";
}

}  // namespace

void JournalDamage::add(Table table, std::int64_t row, const std::string& why) {
  Rows& rows = table == Table::databases ? databases_ : table == Table::containers ? containers_ : items_;
  if (rows.contains(row)) return;
  if (count_ < most_deleted) rows.insert(row);
  if (count_ < most_named)
    first_.push_back(fmt::format("row {} of its table {} is damaged ({})", row, name_of(table), why));
  ++count_;
}

bool JournalDamage::covers(Table table, std::int64_t row, std::int64_t parent) {
  if (table == Table::databases) return false;
  const bool is_covered = table == Table::containers
                              ? databases_.contains(parent)
                              : containers_.contains(parent) || covered_containers_.contains(parent);
  if (is_covered && table == Table::containers) covered_containers_.insert(row);
  return is_covered;
}

std::string JournalDamage::deletion() const {
  std::vector<std::string> statements;
  if (!databases_.empty()) {
    const std::string rows = list(databases_);
    statements.push_back(fmt::format(
        "DELETE FROM items WHERE container IN (SELECT number FROM containers WHERE database IN ({}))", rows));
    statements.push_back(fmt::format("DELETE FROM containers WHERE database IN ({})", rows));
    statements.push_back(fmt::format("DELETE FROM databases WHERE number IN ({})", rows));
  }
  if (!containers_.empty()) {
    const std::string rows = list(containers_);
    statements.push_back(fmt::format("DELETE FROM items WHERE container IN ({})", rows));
    statements.push_back(fmt::format("DELETE FROM containers WHERE number IN ({})", rows));
  }
  if (!items_.empty()) statements.push_back(fmt::format("DELETE FROM items WHERE number IN ({})", list(items_)));
  return fmt::format("{}", fmt::join(statements, "; "));
}

std::string JournalDamage::list(const Rows& rows) { return fmt::format("{}", fmt::join(rows, ", ")); }

JournalError JournalDamage::error(const std::filesystem::path& file) const {
  std::string message = fmt::format("cannot use {}: {}", file.string(), fmt::join(first_, ", "));
  if (count_ > first_.size()) message += fmt::format(", and {} more", count_ - first_.size());
  message += count_ == 1             ? ". To delete it and its contents"
             : count_ > most_deleted ? fmt::format(". To delete the first {} and their contents", most_deleted)
                                     : ". To delete them and their contents";
  return {JournalError::Kind::unusable, fmt::format("{}: sqlite3 '{}' \"{}\"", message, file.string(), deletion())};
}

}  // namespace mayfly::serve
