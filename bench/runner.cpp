#include "runner.hpp"

#include <algorithm>
#include <malloc.h>
#include <map>
#include <regex>
#include <unistd.h>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "interrupt.hpp"
#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/stopwatch.hpp"

namespace mayfly::bench {

namespace {

using Show = std::function<void(const Workload&)>;

bool is_same_work(const Benchmark& a, const Benchmark& b) {
  return a.workload.name == b.workload.name && a.documents == b.documents;
}

/// Google Benchmark calls a benchmark several times: to find its number of iterations, and for each repetition. The
/// contestant lives until the next one is called, for which its memory is first returned to the system.
class Turn {
 public:
  explicit Turn(std::size_t total) : total_(total) {}

  Run& of(const Benchmark& benchmark) {
    if (current_ != &benchmark) {
      run_.reset();
      malloc_trim(0);
      announce(benchmark);
      run_ = benchmark.make();
      current_ = &benchmark;
    }
    return *run_;
  }

  const Benchmark& current() const { return *current_; }

  /// Removes the announcement from a terminal.
  void clear_line() const {
    if (is_terminal_) fmt::print(stderr, "\r\033[K");
  }

 private:
  // On one line of a terminal, on a line of its own in a file.
  void announce(const Benchmark& benchmark) {
    clear_line();
    fmt::print(stderr, "[{:4.0f} s] {} of {}: {}{}", stopwatch_.seconds(), ++count_, total_, benchmark.name(),
               is_terminal_ ? "" : "\n");
    std::fflush(stderr);
  }

  bool is_terminal_ = ::isatty(STDERR_FILENO) == 1;
  Stopwatch stopwatch_;
  std::size_t total_;
  std::size_t count_ = 0;
  const Benchmark* current_ = nullptr;
  std::unique_ptr<Run> run_;
};

void measure(benchmark::State& state, Run& run) {
  Sample total{.operations = 0};
  for (auto _ : state) {
    stop_if_interrupted();
    const Sample sample = run.iterate();
    state.SetIterationTime(sample.seconds);
    total = {total.seconds + sample.seconds, total.operations + sample.operations, sample.bytes};
  }
  state.counters["ns"] = 1e9 * total.seconds / total.operations;
  if (total.bytes) state.counters["bytes"] = *total.bytes;
}

/// Makes a figure of the repetitions of a benchmark, or of their median if flags suppress the repetitions.
class Collector final : public benchmark::BenchmarkReporter {
 public:
  Collector(const Turn& turn, Results& results, const Show& show) : turn_(turn), results_(results), show_(show) {}

  bool ReportContext(const Context&) override { return true; }

  // Called for the repetitions, and again for aggregates such as the median.
  void ReportRuns(const std::vector<Run>& runs) override {
    const Benchmark& benchmark = turn_.current();
    if (&benchmark == last_) return;
    Figure figure{benchmark.workload, benchmark.contestant, benchmark.documents};
    for (const auto& run : runs) {
      if (run.run_type != Run::RT_Iteration && run.aggregate_name != "median") continue;
      figure.ns.push_back(run.counters.at("ns"));
      if (run.counters.contains("bytes") && benchmark.contestant.role != Role::floor)
        figure.bytes = run.counters.at("bytes");
    }
    if (figure.ns.empty()) return;
    std::sort(figure.ns.begin(), figure.ns.end());
    if (last_ && last_->workload.name != benchmark.workload.name) show_last();
    results_.figures.push_back(std::move(figure));
    last_ = &benchmark;
  }

  void show_last() const {
    turn_.clear_line();
    if (last_) show_(last_->workload);
  }

 private:
  const Turn& turn_;
  Results& results_;
  const Show& show_;
  const Benchmark* last_ = nullptr;
};

// Filling some peers with ten million documents takes minutes.
bool runs_once(const Benchmark& benchmark) {
  return benchmark.contestant.role == Role::peer && benchmark.documents >= 10'000'000;
}

}  // namespace

Benchmarks select(const Benchmarks& benchmarks, const std::string& filter) try {
  const bool is_negative = filter.starts_with('-');
  const std::regex wanted(filter == "all" ? "." : filter.substr(is_negative ? 1 : 0), std::regex::extended);
  const auto is_wanted = [&](const Benchmark& b) { return std::regex_search(b.name(), wanted) != is_negative; };
  Benchmarks selected;
  std::copy_if(benchmarks.begin(), benchmarks.end(), std::back_inserter(selected), [&](const Benchmark& candidate) {
    if (candidate.contestant.role != Role::floor) return is_wanted(candidate);
    return std::any_of(benchmarks.begin(), benchmarks.end(),
                       [&](const Benchmark& other) { return is_same_work(candidate, other) && is_wanted(other); });
  });
  std::map<std::string_view, std::size_t> order;
  for (const auto& benchmark : selected) order.try_emplace(benchmark.workload.name, order.size());
  std::stable_sort(selected.begin(), selected.end(), [&](const Benchmark& a, const Benchmark& b) {
    return order[a.workload.name] < order[b.workload.name];
  });
  if (selected.empty()) throw InputError(fmt::format("--benchmark_filter: nothing matches \"{}\"", filter));
  return selected;
} catch (const std::regex_error&) {
  throw InputError(fmt::format("--benchmark_filter: \"{}\" is not a regular expression", filter));
}

void run(const Benchmarks& benchmarks, const RunOptions& options, Results& results, const Show& show) {
  Turn turn(benchmarks.size());
  for (const auto& benchmark : benchmarks) {
    auto* added = benchmark::RegisterBenchmark(benchmark.name().c_str(), [&](benchmark::State& state) {
      stop_if_interrupted();
      measure(state, turn.of(benchmark));
    });
    added->UseManualTime();
    if (benchmark.iterations.count > 0)
      added->Iterations(static_cast<benchmark::IterationCount>(benchmark.iterations.count));
    if (runs_once(benchmark) && !options.has_own_repetitions) added->Repetitions(1);
  }
  Collector collector(turn, results, show);
  try {
    benchmark::RunSpecifiedBenchmarks(options.has_own_format ? nullptr : &collector, "all");
  } catch (const Interrupted&) {
    results.was_interrupted = true;
  }
  collector.show_last();
}

std::string Benchmark::name() const {
  const auto size = documents == 0 ? "" : fmt::format("/{}", documents);
  return fmt::format("{}/{}{}", workload.name, contestant.name, size);
}

}  // namespace mayfly::bench
