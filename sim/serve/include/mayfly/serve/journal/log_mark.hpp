#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace mayfly::serve {

/// A small file beside a journal, `FILE-mark`, that says how long the journal's log was at the last commit. SQLite
/// reads a log as far as it goes, so a log that was cut looks like an older one: only the mark can tell that
/// acknowledged writes are missing. It is removed when the journal is closed, because the log is then empty.
///
/// The mark is a report, not a part of the data: where it cannot be written, there is none.
class LogMark {
 public:
  /// Reads what an earlier process left. Call it before SQLite opens the file.
  explicit LogMark(const std::filesystem::path& file);
  ~LogMark();
  LogMark(const LogMark&) = delete;
  LogMark& operator=(const LogMark&) = delete;

  /// What is missing of the log, as a sentence; nothing if all is there.
  const std::optional<std::string>& loss() const { return loss_; }

  /// From here on the mark is this process's. Call it when SQLite has locked the file.
  void own(const std::filesystem::path& file);
  /// Called after each commit, from within SQLite.
  void put(std::uint64_t log_bytes) noexcept;
  /// Removes the mark, if it is still this process's. Call it before SQLite closes the file.
  void remove() noexcept;

 private:
  void find(const std::filesystem::path& file);

  std::filesystem::path path_;
  std::filesystem::path log_;
  std::optional<std::string> loss_;
  int file_ = -1;
};

}  // namespace mayfly::serve
