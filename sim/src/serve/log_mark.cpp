#include "log_mark.hpp"

#include <array>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace mayfly::serve {

namespace {

// SQLite follows links, and puts its log beside the file that they lead to.
std::filesystem::path beside(const std::filesystem::path& file, const char* ending) {
  std::error_code problem;
  std::filesystem::path path = std::filesystem::weakly_canonical(file, problem);
  if (problem) path = std::filesystem::absolute(file);
  return path += ending;
}

/// 0 if there is none.
std::uintmax_t size_of(const std::filesystem::path& file) {
  std::error_code problem;
  const auto size = std::filesystem::file_size(file, problem);
  return problem ? 0 : size;
}

}  // namespace

LogMark::LogMark(const std::filesystem::path& file) {
  find(file);
  std::uint64_t marked = 0;
  // Without the file there is nothing that the mark could be of.
  if (size_of(file) == 0 || !(std::ifstream(path_) >> marked) || size_of(log_) >= marked) return;
  if (!id_of(log_))
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
  path_ = beside(file, "-mark");
  log_ = beside(file, "-wal");
}

void LogMark::own(const std::filesystem::path& file) {
  find(file);  // a link to a file that was not there leads somewhere now
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
}

void LogMark::put(std::uint64_t log_bytes) noexcept {
  if (!has_put_) first_log_ = id_of(log_);
  has_put_ = true;
  std::array<char, 21> text{};
  fmt::format_to_n(text.data(), text.size(), "{:020}\n", log_bytes);
  if (file_ >= 0) [[maybe_unused]]
    const auto written = ::pwrite(file_, text.data(), text.size(), 0);
}

void LogMark::remove() noexcept {
  struct stat own {};
  if (file_ < 0 || ::fstat(file_, &own) != 0 || id_of(path_) != FileId{own.st_dev, own.st_ino}) return;
  ::unlink(path_.c_str());
}

std::optional<LogMark::FileId> LogMark::id_of(const std::filesystem::path& path) noexcept {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return FileId{found.st_dev, found.st_ino};
}

}  // namespace mayfly::serve
