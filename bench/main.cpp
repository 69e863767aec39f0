// mayfly bench: compares the contestants' answers, times them with Google Benchmark, and shows the figures.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "charts.hpp"
#include "json.hpp"
#include "mayfly/props/report/output_file.hpp"
#include "mayfly/sim/input_error.hpp"
#include "page.hpp"
#include "questions.hpp"
#include "runner.hpp"
#include "table.hpp"

namespace {

using namespace mayfly;
using namespace mayfly::bench;

constexpr std::string_view help =
    "mayfly bench [--quick] [--json FILE] [--html FILE] [Google Benchmark's flags]\n\n"
    "  --quick      Small numbers of documents, briefly: under 20 seconds\n"
    "  --json FILE  Write the figures to this file as well\n"
    "  --html FILE  Write a page with a chart for each workload, drawn by gnuplot\n\n"
    "Benchmarks are named WORKLOAD/CONTESTANT/DOCUMENTS. --benchmark_filter=REGEX takes those that match, with their\n"
    "floor. --benchmark_format=console shows what Google Benchmark itself has to say.\n\n";

struct Options {
  Scale scale = Scale::full;
  std::optional<std::string> json;
  std::optional<std::string> html;
  RunOptions how;
  std::vector<std::string> rest;  ///< for Google Benchmark
};

/// The value of `--name VALUE` or `--name=VALUE`, taken off the front.
std::optional<std::string> take_value(std::vector<std::string>& words, const std::string& name) {
  const std::string first = words.front();
  if (first.starts_with(name + "=")) {
    words.erase(words.begin());
    return first.substr(name.size() + 1);
  }
  if (first != name) return std::nullopt;
  if (words.size() < 2) throw InputError(name + " needs a file");
  words.erase(words.begin());
  const std::string value = words.front();
  words.erase(words.begin());
  return value;
}

// Google Benchmark would show its usage and call that success.
void check_format(const std::string& word) {
  for (const std::string flag : {"--benchmark_format=", "--benchmark_out_format="}) {
    const std::string value = word.starts_with(flag) ? word.substr(flag.size()) : "json";
    if (value != "json" && value != "csv" && value != "console")
      throw InputError(fmt::format("{} must be console, json or csv, got \"{}\"", flag, value));
  }
}

Options parse(std::vector<std::string> words) {
  Options options;
  while (!words.empty()) {
    if (auto json = take_value(words, "--json")) {
      options.json = std::move(json);
    } else if (auto html = take_value(words, "--html")) {
      options.html = std::move(html);
    } else {
      const std::string word = words.front();
      words.erase(words.begin());
      check_format(word);
      if (word == "--quick") options.scale = Scale::quick;
      options.how.has_own_format |=
          word.starts_with("--benchmark_format") || word.starts_with("--benchmark_list_tests");
      options.how.has_own_repetitions |= word.starts_with("--benchmark_repetitions");
      if (word.starts_with("--benchmark_out=")) ensure_writable("--benchmark_out", word.substr(16));
      if (word != "--quick") options.rest.push_back(word);
    }
  }
  return options;
}

/// Lets Google Benchmark read its flags, after our own values for them: what comes later counts.
void pass_on(const Options& options, char* program) {
  std::vector<std::string> words{"--benchmark_min_time=0.3", "--benchmark_repetitions=3"};
  if (options.scale == Scale::quick) words = {"--benchmark_min_time=0.004", "--benchmark_repetitions=1"};
  words.insert(words.end(), options.rest.begin(), options.rest.end());
  std::vector<char*> pointers{program};
  for (auto& word : words) pointers.push_back(word.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  if (count > 1)
    throw InputError(fmt::format("\"{}\" is not understood; mayfly bench --help lists the options", pointers[1]));
}

void show_workload(const Results& results, const Workload& workload) {
  fmt::print("{}", table(results, workload));
  std::fflush(stdout);
}

void finish(const Results& results, const Options& options) {
  const auto judged = bars(results);
  fmt::print("{}", legend());
  if (!judged.empty()) fmt::print("\n{}", table(judged));
  if (options.json) write_whole(*options.json, to_json_text(results));
  if (options.html) write_whole(*options.html, to_page(results));
}

int run(int argc, char** argv) {
  const Options options = parse({argv + 1, argv + argc});
  if (std::find(options.rest.begin(), options.rest.end(), "--help") != options.rest.end()) fmt::print("{}", help);
  pass_on(options, argv[0]);
  if (options.how.has_own_format && (options.json || options.html))
    throw InputError("--json and --html do not go with Google Benchmark's own output");
  if (options.html) ensure_gnuplot();
  if (options.json) ensure_writable("--json", *options.json);
  if (options.html) ensure_writable("--html", *options.html);
  Programme programme;
  add_expiry(programme, options.scale);
  add_engine(programme, options.scale);
  add_checking(programme);
  const std::string filter = benchmark::GetBenchmarkFilter();
  programme = select(programme, filter.empty() ? "all" : filter);
  for (const auto& disagreement : {expiry_disagreement(), engine_disagreement()}) {
    if (!disagreement) continue;
    fmt::print(stderr, "mayfly: the contestants do not agree: {}\n", *disagreement);
    return 1;
  }
  const Results results = run(programme, options.how, show_workload);
  if (!options.how.has_own_format) finish(results, options);
  if (std::fflush(stdout) != 0) throw InputError("standard output cannot be written");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "mayfly: {}\n", error.what());
    return 2;
  } catch (const std::logic_error& disagreement) {
    fmt::print(stderr, "mayfly: {}\n", disagreement.what());
    return 1;
  }
}
