#include "mayfly/serve/journal/log_mark.hpp"

#include <array>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "file_watch.hpp"

namespace mayfly::serve {

namespace {

bool is_there(const std::filesystem::path& file) {
  std::error_code problem;
  return std::filesystem::exists(file, problem);
}

/// 0 if the file does not exist.
std::uintmax_t size_of(const std::filesystem::path& file) {
  std::error_code problem;
  const auto size = std::filesystem::file_size(file, problem);
  return problem ? 0 : size;
}

}  // namespace

LogMark::LogMark(const std::filesystem::path& file) {
  find(file);
  std::uint64_t marked = 0;
  // Without the file, the mark means nothing.
  if (!is_there(file) || !(std::ifstream(path_) >> marked)) return;
  // SQLite ignores the log of an empty file, and a file that was written to is never empty.
  if (size_of(file) == 0)
    loss_ = fmt::format("{} is empty, though writes to it were acknowledged: they are lost", file.string());
  else if (size_of(log_) >= marked)
    return;
  else if (!is_there(log_))
    loss_ = fmt::format("{} is missing: unless another program has opened {} since, the latest writes are lost",
                        log_.string(), file.string());
  else
    loss_ = fmt::format(
        "{} has {} of the {} bytes that it had when the last write was acknowledged: the latest writes "
        "are missing",
        log_.string(), size_of(log_), marked);
}

LogMark::~LogMark() {
  if (file_ >= 0) ::close(file_);
}

void LogMark::find(const std::filesystem::path& file) {
  path_ = log_ = real_path(file);
  path_ += "-mark";
  log_ += "-wal";
}

void LogMark::own(const std::filesystem::path& file) {
  find(file);  // SQLite has created the file that a dangling link named
  // If the mark is gone now, the process that had used the file has closed it, and nothing is missing.
  if (!is_there(path_)) loss_.reset();
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
}

void LogMark::put(std::uint64_t log_bytes) noexcept {
  std::array<char, 21> text{};
  fmt::format_to_n(text.data(), text.size(), "{:020}\n", log_bytes);
  if (file_ >= 0) [[maybe_unused]]
    const auto written = ::pwrite(file_, text.data(), text.size(), 0);
}

void LogMark::remove() noexcept {
  struct stat own {
  }, found{};
  if (file_ < 0 || ::fstat(file_, &own) != 0 || ::stat(path_.c_str(), &found) != 0) return;
  if (own.st_dev == found.st_dev && own.st_ino == found.st_ino) ::unlink(path_.c_str());
}

}  // namespace mayfly::serve
