// mayfly bench: compares the contestants' answers, times them with Google Benchmark, and prints the figures.

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <malloc.h>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "charts.hpp"
#include "interrupt.hpp"
#include "mayfly/props/report/output_file.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/input_error.hpp"
#include "questions.hpp"
#include "report.hpp"
#include "runner.hpp"

namespace {

using namespace mayfly;
using namespace mayfly::bench;

struct Options {
  bool is_quick = false;
  bool is_long = false;
  std::optional<std::string> json;
  std::optional<std::string> html;
  RunOptions how;
  std::vector<std::string> rest;  ///< Google Benchmark's flags
};

void add_options(CLI::App& app, Options& options) {
  app.add_flag("--quick", options.is_quick, "Small numbers of documents, one short repetition: under 20 seconds");
  app.add_flag("--long", options.is_long, "Ten million documents as well: some 20 minutes, 10 GB of memory")
      ->excludes("--quick");
  app.add_option("--json", options.json, "Write the figures to this file as well")->type_name("FILE");
  app.add_option("--html", options.html, "Write a page with a chart for each workload (needs gnuplot)")
      ->type_name("FILE");
  app.footer(
      "Benchmarks are named WORKLOAD/CONTESTANT/DOCUMENTS. --benchmark_filter=REGEX selects the matching ones and\n"
      "their floor. --benchmark_format=console prints Google Benchmark's own output instead of the tables, and\n"
      "--benchmark_out writes it: contestants then run one after the other.\n\n"
      "Google Benchmark's flags:\n");
  app.allow_extras();
}

// Google Benchmark would print its usage and exit with 0.
void check_format(const std::string& word) {
  for (const std::string flag : {"--benchmark_format=", "--benchmark_out_format="}) {
    const std::string value = word.starts_with(flag) ? word.substr(flag.size()) : "json";
    if (value != "json" && value != "csv" && value != "console")
      throw InputError(fmt::format("{} must be console, json or csv, got \"{}\"", flag, value));
  }
}

void read_rest(Options& options) {
  for (const auto& word : options.rest) {
    check_format(word);
    for (const auto* own : {"--benchmark_format", "--benchmark_list_tests", "--benchmark_out"})
      options.how.has_own_format |= word.starts_with(own);
    if (word.starts_with("--benchmark_out=")) ensure_writable("--benchmark_out", word.substr(16));
  }
}

/// Google Benchmark reads its flags, after our own values for them: the last one counts.
void pass_on(Options& options, char* program) {
  std::vector<std::string> words{"--benchmark_min_time=0.1", "--benchmark_repetitions=3"};
  if (options.is_quick) words = {"--benchmark_min_time=0.004", "--benchmark_repetitions=1"};
  words.insert(words.end(), options.rest.begin(), options.rest.end());
  constexpr std::string_view repetitions = "--benchmark_repetitions=";
  for (const auto& word : words)  // it complains itself of what is not a number
    if (word.starts_with(repetitions)) options.how.repetitions = std::atoi(word.c_str() + repetitions.size());
  std::vector<char*> pointers{program};
  for (auto& word : words) pointers.push_back(word.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  if (count > 1)
    throw InputError(fmt::format("\"{}\" is not understood; mayfly bench --help lists the options", pointers[1]));
}

/// What a contestant gives back stays mapped for the next one: the kernel's work is not the structure's.
void keep_memory_mapped() {
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

void ensure_outputs(const Options& options) {
  if (options.how.has_own_format && (options.json || options.html))
    throw InputError("--json and --html do not go with Google Benchmark's own output");
  if (options.html) ensure_gnuplot();
  if (options.json) ensure_writable("--json", *options.json);
  if (options.html) ensure_writable("--html", *options.html);
}

void print(const std::string& text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

/// The floor, ours and the peers must give the same answers.
void compare_answers() {
  for (const auto& disagreement : {expiry_disagreement(), engine_disagreement()})
    if (disagreement) throw std::logic_error("the contestants do not agree: " + *disagreement);
}

void finish(const Results& results, const Options& options) {
  print(legend());
  for (const auto& limit : results.limits()) print(folded(limit, 0) + "\n");
  print(table(results.bars()));
  if (options.json) write_whole(*options.json, to_json_text(results));
  if (options.html) write_whole(*options.html, to_page(results));
}

int run(Options& options, char* program) {
  read_rest(options);
  pass_on(options, program);
  ensure_outputs(options);
  const Scale scale = options.is_quick ? Scale::quick : options.is_long ? Scale::all : Scale::full;
  Results results{Machine::observe(), scale};
  Benchmarks benchmarks;
  add_expiry(benchmarks, results.scale);
  add_engine(benchmarks, results.scale);
  add_checking(benchmarks);
  const std::string filter = benchmark::GetBenchmarkFilter();
  benchmarks = select(benchmarks, filter.empty() ? "all" : filter);
  results.planned = benchmarks.size();
  compare_answers();
  if (!options.how.has_own_format) print(text(results.machine));
  watch_for_interrupt();
  run(benchmarks, options.how, results, [&](const Workload& workload) { print(table(results, workload)); });
  if (!options.how.has_own_format) finish(results, options);
  if (std::fflush(stdout) != 0) throw InputError("standard output cannot be written");
  return results.was_interrupted ? 128 + interrupted : 0;
}

}  // namespace

int main(int argc, char** argv) {
  keep_memory_mapped();
  Options options;
  CLI::App app("Compares the cost of expiry, of the engine and of checking with a floor and with peers.",
               "mayfly bench");
  add_options(app, options);
  try {
    app.parse(argc, argv);
    options.rest = app.remaining();
    return run(options, argv[0]);
  } catch (const CLI::CallForHelp& help) {
    app.exit(help);
    options.rest = {"--help"};
    pass_on(options, argv[0]);  // prints Google Benchmark's flags, and exits
    return 0;
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "mayfly: {}\n", error.what());
    return 2;
  } catch (const std::logic_error& disagreement) {
    fmt::print(stderr, "mayfly: {}\n", disagreement.what());
    return 1;
  }
}
