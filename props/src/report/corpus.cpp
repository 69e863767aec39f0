#include "mayfly/props/report/corpus.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "mayfly/props/report/output_file.hpp"
#include "mayfly/sim/input_error.hpp"

namespace mayfly {

namespace fs = std::filesystem;

void ensure_corpus(std::string_view option, const std::string& folder) {
  std::error_code error;
  fs::create_directory(folder, error);
  if (!fs::exists(folder, error)) throw InputError(fmt::format("{}: {} cannot be created", option, folder));
  if (!fs::is_directory(folder, error)) throw InputError(fmt::format("{}: {} is not a folder", option, folder));
  ensure_writable(option, fs::path(folder) / "trace.jsonl");
}

std::vector<CorpusCase> read_corpus(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<CorpusCase> cases;
  for (const auto& file : files) {
    ensure_readable(file);
    const auto traces = read_trace_file(file);
    for (std::size_t i = 0; i < traces.size(); ++i) {
      const std::string number = traces.size() > 1 ? fmt::format(", case {}", i + 1) : "";
      if (!traces[i].steps.empty()) cases.push_back({file.filename().string() + number, file.string(), traces[i]});
    }
  }
  return cases;
}

std::string path_in_corpus(const std::string& folder, std::string_view trace) {
  std::uint64_t digest = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : trace) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return (fs::path(folder) / fmt::format("{:016x}.jsonl", digest)).string();
}

}  // namespace mayfly
