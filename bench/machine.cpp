#include "machine.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>

#include <fmt/format.h>

#include "mayfly/props/report/text.hpp"

namespace mayfly::bench {

namespace {

#ifdef __clang__
constexpr std::string_view compiler_name = "clang " __clang_version__;
#else
constexpr std::string_view compiler_name = "g++ " __VERSION__;
#endif

#ifdef NDEBUG
constexpr bool asserts_are_on = false;
#else
constexpr bool asserts_are_on = true;
#endif

std::string processor_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  return "unknown";
}

std::string source_commit() {
  const auto commit = output_of("git --no-optional-locks -C '" MAYFLY_SOURCE
                                "' describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null");
  return commit ? commit->substr(0, commit->find('\n')) : "unknown";
}

// The system's choice stands in brackets.
std::string choice_of_huge_pages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string line;
  std::getline(file, line);
  const auto begin = line.find('['), end = line.find(']');
  return begin < end && end != std::string::npos ? line.substr(begin + 1, end - begin - 1) : "unknown";
}

}  // namespace

Machine Machine::observe() {
  return {processor_model(), benchmark::CPUInfo::Get(), std::string(compiler_name),
          asserts_are_on,    source_commit(),           choice_of_huge_pages()};
}

std::vector<benchmark::CPUInfo::CacheInfo> Machine::data_caches() const {
  auto caches = cpu.caches;
  std::erase_if(caches, [](const auto& cache) { return cache.type == "Instruction"; });
  return caches;
}

std::vector<std::pair<std::string, std::string>> rows(const Machine& machine) {
  std::string processor =
      fmt::format("{}, {}", machine.processor, counted(static_cast<std::uint64_t>(machine.cpu.num_cpus), "core"));
  for (const auto& cache : machine.data_caches())
    processor += fmt::format(", L{} {} KiB", cache.level, with_commas(static_cast<std::uint64_t>(cache.size) / 1024));
  const auto asserts = machine.has_asserts ? "asserts on: figures are not comparable" : "asserts off";
  return {{"processor", processor},
          {"compiler", fmt::format("{}, {}", machine.compiler, asserts)},
          {"commit", machine.commit},
          {"huge pages", machine.huge_pages},
          {"load", fmt::format("{:.2f} (average of the minute before the run)", machine.load())}};
}

std::string text(const Machine& machine) {
  std::string lines;
  for (const auto& [name, value] : rows(machine)) lines += folded(fmt::format("{:<12}{}", name, value), 12) + "\n";
  return lines + "\n";
}

std::optional<std::string> output_of(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t length = std::fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), length);
  return ::pclose(pipe) == 0 ? std::optional(text) : std::nullopt;
}

}  // namespace mayfly::bench
