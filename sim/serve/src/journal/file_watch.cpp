#include "file_watch.hpp"

namespace mayfly::serve {

namespace {

std::optional<struct stat> state_of(const std::filesystem::path& path) noexcept {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return found;
}

}  // namespace

std::filesystem::path real_path(const std::filesystem::path& file) {
  std::error_code problem;
  const auto path = std::filesystem::weakly_canonical(file, problem);
  return problem ? std::filesystem::absolute(file) : path;
}

FileWatch::FileWatch(const std::filesystem::path& file) : file_(real_path(file)), log_(file_) {
  log_ += "-wal";
  note_file();
}

void FileWatch::note_file() noexcept { noted_file_ = state_of(file_).value_or(noted_file_); }

void FileWatch::note_log(std::uint64_t bytes) noexcept {
  // The log is identified at the first commit: by the next one, another file may have its name.
  if (!has_committed_)
    if (const auto found = state_of(log_)) noted_log_ = {found->st_dev, found->st_ino, bytes};
  has_committed_ = true;
  if (noted_log_) noted_log_->bytes = bytes;
}

bool FileWatch::has_moved() const noexcept { return !is_file_as_noted() || (has_committed_ && !is_log_as_noted()); }

bool FileWatch::is_file_as_noted() const noexcept {
  const auto found = state_of(file_);
  return found && found->st_dev == noted_file_.st_dev && found->st_ino == noted_file_.st_ino &&
         found->st_size == noted_file_.st_size && found->st_mtim.tv_sec == noted_file_.st_mtim.tv_sec &&
         found->st_mtim.tv_nsec == noted_file_.st_mtim.tv_nsec;
}

bool FileWatch::is_log_as_noted() const noexcept {
  const auto found = state_of(log_);
  return found && noted_log_ && found->st_dev == noted_log_->device && found->st_ino == noted_log_->number &&
         static_cast<std::uint64_t>(found->st_size) >= noted_log_->bytes;
}

}  // namespace mayfly::serve
