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

/// Runs the contestants for Google Benchmark, and collects what it reports.
///
/// Google Benchmark calls a benchmark several times: to find its number of iterations, and for each repetition. The
/// contestant lives until the next one is called, for which its memory is first returned to the system.
class Collector final : public benchmark::BenchmarkReporter {
 public:
  Collector(std::size_t total, Results& results, const Show& show) : total_(total), results_(results), show_(show) {}

  void measure(const Benchmark& benchmark, benchmark::State& state) {
    stop_if_interrupted();
    if (&benchmark != current_) set_up(benchmark);
    Sample total{.operations = 0};
    for (auto _ : state) {
      stop_if_interrupted();
      const Sample sample = contestant_->iterate();
      state.SetIterationTime(sample.seconds);
      total = {total.seconds + sample.seconds, total.operations + sample.operations, sample.bytes};
    }
    state.counters["ns"] = 1e9 * total.seconds / total.operations;
    if (total.bytes) state.counters["bytes"] = *total.bytes;
  }

  bool ReportContext(const Context&) override { return true; }

  // Called for the repetitions of the current benchmark, and again for aggregates such as the median, which count only
  // if flags suppress the repetitions.
  void ReportRuns(const std::vector<Run>& runs) override {
    if (current_ == reported_) return;
    Figure figure{current_->workload, current_->contestant, current_->documents};
    for (const auto& run : runs) {
      if (run.run_type != Run::RT_Iteration && run.aggregate_name != "median") continue;
      figure.ns.push_back(run.counters.at("ns"));
      if (run.counters.contains("bytes") && figure.contestant.role != Role::floor)
        figure.bytes = run.counters.at("bytes");
    }
    if (figure.ns.empty()) return;
    std::sort(figure.ns.begin(), figure.ns.end());
    if (reported_ && reported_->workload.name != figure.workload.name) show_last();
    results_.figures.push_back(std::move(figure));
    reported_ = current_;
  }

  /// Shows the workload of the last figure.
  void show_last() const {
    clear_line();
    if (reported_) show_(reported_->workload);
  }

 private:
  void set_up(const Benchmark& benchmark) {
    contestant_.reset();
    malloc_trim(0);
    announce(benchmark);
    contestant_ = benchmark.make();
    current_ = &benchmark;
  }

  // On one line of a terminal, on a line of its own in a file.
  void announce(const Benchmark& benchmark) {
    clear_line();
    fmt::print(stderr, "[{:4.0f} s] {} of {}: {}{}", stopwatch_.seconds(), ++count_, total_, benchmark.name(),
               is_terminal_ ? "" : "\n");
    std::fflush(stderr);
  }

  void clear_line() const {
    if (is_terminal_) fmt::print(stderr, "\r\033[K");
  }

  bool is_terminal_ = ::isatty(STDERR_FILENO) == 1;
  Stopwatch stopwatch_;
  std::size_t total_;
  std::size_t count_ = 0;
  Results& results_;
  const Show& show_;
  const Benchmark* current_ = nullptr;
  const Benchmark* reported_ = nullptr;
  std::unique_ptr<bench::Run> contestant_;
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
  Collector collector(benchmarks.size(), results, show);
  for (const auto& benchmark : benchmarks) {
    const auto measure = [&](benchmark::State& state) { collector.measure(benchmark, state); };
    auto* added = benchmark::RegisterBenchmark(benchmark.name().c_str(), measure)->UseManualTime();
    if (benchmark.iterations.count > 0)
      added->Iterations(static_cast<benchmark::IterationCount>(benchmark.iterations.count));
    if (runs_once(benchmark) && !options.has_own_repetitions) added->Repetitions(1);
  }
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
