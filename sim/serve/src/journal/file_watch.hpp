#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <sys/types.h>

namespace mayfly::serve {

/// The path of the file that a link points to. SQLite opens that file, and puts its log beside it.
std::filesystem::path real_path(const std::filesystem::path& file);

/// Detects that another program removed, replaced or overwrote a journal's file or its log while SQLite has them open.
/// SQLite's own writes must be noted: to the file when it is opened and at checkpoints, to the log at commits.
class FileWatch {
 public:
  /// Call it when SQLite has opened the file and made its tables.
  explicit FileWatch(const std::filesystem::path& file);

  /// To be called when SQLite has written the file.
  void note_file() noexcept;
  /// To be called when SQLite has made a commit, which ends at this byte of the log.
  void note_log(std::uint64_t bytes) noexcept;

  bool has_moved() const noexcept;

 private:
  struct Log {
    dev_t device;
    ino_t number;
    std::uint64_t bytes;  ///< up to the last commit; the rest belongs to older ones
  };
  bool is_file_as_noted() const noexcept;
  bool is_log_as_noted() const noexcept;

  std::filesystem::path file_;
  std::filesystem::path log_;
  struct stat noted_file_ {};
  bool has_committed_ = false;
  std::optional<Log> noted_log_;
};

}  // namespace mayfly::serve
