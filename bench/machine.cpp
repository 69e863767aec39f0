#include "machine.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "mayfly/props/report/text.hpp"

namespace mayfly::bench {

namespace {

#ifdef __clang__
constexpr std::string_view compiler_name = "clang " __clang_version__;
#else
constexpr std::string_view compiler_name = "g++ " __VERSION__;
#endif

std::string processor_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  return "unknown";
}

std::vector<Machine::Cache> data_caches() {
  std::vector<Machine::Cache> caches;
  for (int i = 0;; ++i) {
    const auto read = [i](const char* name) {
      std::string word;
      std::ifstream(fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/{}", i, name)) >> word;
      return word;
    };
    const std::string size = read("size");  // as in "48K"
    if (size.empty()) return caches;
    if (read("type") != "Instruction") caches.push_back({std::atoi(read("level").c_str()), std::stoul(size)});
  }
}

std::string source_commit() {
  const auto commit = output_of("git --no-optional-locks -C '" MAYFLY_SOURCE
                                "' describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null");
  return commit ? commit->substr(0, commit->find('\n')) : "unknown";
}

double one_minute_load() {
  double load = 0;
  ::getloadavg(&load, 1);
  return load;
}

}  // namespace

unsigned Machine::count_cores() { return std::max(std::thread::hardware_concurrency(), 1U); }

Machine Machine::observe() {
#ifdef NDEBUG
  constexpr bool has_asserts = false;
#else
  constexpr bool has_asserts = true;
#endif
  return {processor_model(), count_cores(),   data_caches(),    std::string(compiler_name),
          has_asserts,       source_commit(), one_minute_load()};
}

std::vector<std::pair<std::string, std::string>> rows(const Machine& machine) {
  std::string processor = fmt::format("{}, {}", machine.processor, counted(machine.cores, "core"));
  for (const auto& cache : machine.caches)
    processor += fmt::format(", L{} {} KiB", cache.level, with_commas(cache.kib));
  const auto asserts = machine.has_asserts ? "asserts on: figures are not comparable" : "asserts off";
  return {{"processor", processor},
          {"compiler", fmt::format("{}, {}", machine.compiler, asserts)},
          {"commit", machine.commit},
          {"load", fmt::format("{:.2f} (average of the minute before the run)", machine.load)}};
}

std::string text(const Machine& machine) {
  std::string lines;
  for (const auto& [name, value] : rows(machine)) lines += folded(fmt::format("{:<10}{}", name, value), 10) + "\n";
  return lines + "\n";
}

double busy_seconds() {
  std::ifstream file("/proc/stat");
  std::string name;
  double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0, soft_interrupts = 0, stolen = 0;
  file >> name >> user >> nice >> system >> idle >> waiting >> interrupts >> soft_interrupts >> stolen;
  return (user + nice + system + interrupts + soft_interrupts + stolen) / static_cast<double>(::sysconf(_SC_CLK_TCK));
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
