#include "mayfly/props/report/output_file.hpp"

#include <cstdio>
#include <fstream>
#include <unistd.h>

#include <fmt/format.h>

#include "mayfly/sim/input_error.hpp"

namespace mayfly {

namespace {

namespace fs = std::filesystem;

/// Where a link leads to, so that the link stays.
fs::path target_of(const fs::path& path) {
  std::error_code error;
  const auto target = fs::weakly_canonical(path, error);
  return error ? path : target;
}

/// Beside the file, so that renaming it stays within one file system.
fs::path draft_of(const fs::path& path) { return target_of(path) += fmt::format(".{}.tmp", ::getpid()); }

// A device or a pipe is written to as it is: renaming a file over it would remove it.
bool is_special(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status);
}

bool write(const fs::path& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.flush();
  return out.good();
}

}  // namespace

void ensure_writable(std::string_view option, const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) throw InputError(fmt::format("{}: {} is a directory", option, path.string()));
  if (is_special(path)) return;
  const auto draft = draft_of(path);
  const bool works = !path.empty() && write(draft, "");
  fs::remove(draft, error);
  if (!works) throw InputError(fmt::format("{}: {} cannot be written", option, path.string()));
}

void write_whole(const fs::path& path, std::string_view text) {
  std::error_code error;
  if (is_special(path)) {
    if (write(path, text)) return;
  } else {
    const auto draft = draft_of(path);
    const bool is_written = write(draft, text);
    if (is_written) fs::rename(draft, target_of(path), error);
    if (is_written && !error) return;
    fs::remove(draft, error);
  }
  throw InputError(fmt::format("{}: cannot be written", path.string()));
}

}  // namespace mayfly
