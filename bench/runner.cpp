#include "runner.hpp"

#include <algorithm>
#include <malloc.h>
#include <map>
#include <regex>
#include <span>
#include <unistd.h>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "interrupt.hpp"
#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/stopwatch.hpp"

namespace mayfly::bench {

namespace {

bool is_same_work(const Benchmark& a, const Benchmark& b) { return a.is_same_work(b); }

/// Runs the contestants for Google Benchmark, and collects what it reports.
///
/// Google Benchmark calls a benchmark several times: to find its number of iterations, and for each repetition. The
/// contestants of a workload and size live until they are released together.
class Collector final : public benchmark::BenchmarkReporter {
 public:
  Collector(std::size_t total, Results& results) : total_(total), results_(results) {}

  void measure(const Benchmark& benchmark, benchmark::State& state) {
    stop_if_interrupted();
    if (current_ && !current_->is_same_work(benchmark)) release();
    current_ = &benchmark;
    auto& contestant = contestants_[&benchmark];
    if (!contestant) {
      announce(benchmark);
      contestant = benchmark.make();
    }
    Sample total{.operations = 0};
    for (auto _ : state) {
      stop_if_interrupted();
      const Sample sample = contestant->iterate();
      state.SetIterationTime(sample.seconds);
      total = {total.seconds + sample.seconds, total.operations + sample.operations, sample.bytes};
    }
    state.counters["ns"] = 1e9 * total.seconds / total.operations;
    if (total.bytes) state.counters["bytes"] = *total.bytes;
  }

  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    Figure& figure = current_figure();
    for (const auto& run : runs) {
      figure.ns.push_back(run.counters.at("ns"));
      if (run.counters.contains("bytes") && !is_baseline(figure.contestant.role))
        figure.bytes = run.counters.at("bytes");
    }
  }

  /// Returns the memory of the contestants to the system.
  void release() {
    contestants_.clear();
    malloc_trim(0);
  }

  void clear_line() const {
    if (is_terminal_) fmt::print(stderr, "\r\033[K");
  }

 private:
  Figure& current_figure() {
    const auto& [workload, contestant, documents, iterations, make] = *current_;
    for (Figure& figure : results_.figures)
      if (figure.workload.name == workload.name && figure.documents == documents &&
          figure.contestant.name == contestant.name)
        return figure;
    return results_.figures.emplace_back(Figure{workload, contestant, documents});
  }

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
  Results& results_;
  const Benchmark* current_ = nullptr;
  std::map<const Benchmark*, std::unique_ptr<bench::Run>> contestants_;
};

// Filling some peers with ten million documents takes minutes.
bool runs_once(const Benchmark& benchmark) {
  return benchmark.contestant.role == Role::peer && benchmark.documents >= 10'000'000;
}

benchmark::internal::Benchmark* add(const Benchmark& benchmark, Collector& collector) {
  const auto measure = [&](benchmark::State& state) { collector.measure(benchmark, state); };
  auto* added = benchmark::RegisterBenchmark(benchmark.name().c_str(), measure)->UseManualTime();
  if (benchmark.iterations.count > 0)
    added->Iterations(static_cast<benchmark::IterationCount>(benchmark.iterations.count));
  return added;
}

/// The contestants take turns, so that what else goes on in the machine hits all alike.
void repeat(std::span<const Benchmark> contestants, int repetitions, Collector& collector) {
  for (int turn = 0; turn < repetitions; ++turn) {
    benchmark::ClearRegisteredBenchmarks();
    for (const auto& contestant : contestants)
      if (turn == 0 || !runs_once(contestant)) add(contestant, collector)->Repetitions(1);
    benchmark::RunSpecifiedBenchmarks(&collector, "all");
  }
  collector.release();
}

}  // namespace

Benchmarks select(const Benchmarks& benchmarks, const std::string& filter) try {
  const bool is_negative = filter.starts_with('-');
  const std::regex wanted(filter == "all" ? "." : filter.substr(is_negative ? 1 : 0), std::regex::extended);
  const auto is_wanted = [&](const Benchmark& b) { return std::regex_search(b.name(), wanted) != is_negative; };
  Benchmarks selected;
  std::copy_if(benchmarks.begin(), benchmarks.end(), std::back_inserter(selected), [&](const Benchmark& candidate) {
    if (!is_baseline(candidate.contestant.role)) return is_wanted(candidate);
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

void run(const Benchmarks& benchmarks, const RunOptions& options, Results& results,
         const std::function<void(const Workload&)>& show) {
  Collector collector(benchmarks.size(), results);
  if (options.has_own_format) {
    for (const auto& benchmark : benchmarks) add(benchmark, collector);
    benchmark::RunSpecifiedBenchmarks();
    return;
  }
  const Workload* shown = nullptr;
  const auto show_last = [&] {
    collector.clear_line();
    if (!results.figures.empty() && shown) show(*shown);
  };
  try {
    for (auto first = benchmarks.begin(), end = first; first != benchmarks.end(); first = end) {
      end = std::find_if(first, benchmarks.end(), [&](const Benchmark& b) { return !is_same_work(*first, b); });
      if (shown && shown->name != first->workload.name) show_last();
      shown = &first->workload;
      repeat({first, end}, options.repetitions, collector);
    }
  } catch (const Interrupted&) {
    results.was_interrupted = true;
  }
  show_last();
}

std::string Benchmark::name() const {
  const auto size = documents == 0 ? "" : fmt::format("/{}", documents);
  return fmt::format("{}/{}{}", workload.name, contestant.name, size);
}

}  // namespace mayfly::bench
