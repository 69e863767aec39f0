#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace mayfly::serve {

/// A small file beside a journal, `FILE-mark`, that holds the length of the journal's log at the last commit. SQLite
/// reads a log up to its end, so a log that was cut looks like an older one: only the mark can show that acknowledged
/// writes are missing. Closing the journal removes the mark, because the log is then empty.
///
/// The mark is a report, not a part of the data: if it cannot be written, there is none.
class LogMark {
 public:
  /// Reads the mark of an earlier process. Call it before SQLite opens the file.
  explicit LogMark(const std::filesystem::path& file);
  ~LogMark();
  LogMark(const LogMark&) = delete;
  LogMark& operator=(const LogMark&) = delete;

  /// The missing part of the log, as a sentence; nothing if the log is complete.
  const std::optional<std::string>& loss() const { return loss_; }

  /// Makes the mark this process's own. Call it when SQLite has locked the file.
  void own(const std::filesystem::path& file);
  /// Called by SQLite after each commit.
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
