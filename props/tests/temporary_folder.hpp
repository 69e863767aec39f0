#pragma once

#include <filesystem>
#include <stdlib.h>
#include <string>

#include <doctest/doctest.h>

namespace mayfly::test {

/// A folder for one test, removed at its end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string path = (std::filesystem::temp_directory_path() / "mayfly-XXXXXX").string();
    REQUIRE(mkdtemp(path.data()));
    path_ = path;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// A file in it, which does not exist yet.
  std::filesystem::path file() const { return path_ / "data"; }

 private:
  std::filesystem::path path_;
};

}  // namespace mayfly::test
