#include "runner.hpp"

#include <algorithm>
#include <cmath>
#include <malloc.h>
#include <map>
#include <regex>
#include <unistd.h>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "mayfly/props/report/progress.hpp"
#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/stopwatch.hpp"

namespace mayfly::bench {

namespace {

using Show = std::function<void(const Results&, const Workload&)>;

bool is_same_work(const Benchmark& a, const Benchmark& b) {
  return a.workload.name == b.workload.name && a.documents == b.documents;
}

/// Says what is under way: over the last line on a terminal, one below the other in a file.
class Announcer {
 public:
  explicit Announcer(std::size_t total) : total_(total) {}

  void announce(const Benchmark& benchmark) {
    fmt::print(stderr, "{}[{:4.0f} s] {} of {}: {}{}", is_terminal_ ? "\r\033[K" : "", stopwatch_.seconds(), ++count_,
               total_, benchmark.name(), is_terminal_ ? "" : "\n");
    std::fflush(stderr);
  }

  void clear() const {
    if (is_terminal_) fmt::print(stderr, "\r\033[K");
  }

 private:
  bool is_terminal_ = ::isatty(STDERR_FILENO) == 1;
  Stopwatch stopwatch_;
  std::size_t total_;
  std::size_t count_ = 0;
};

/// Google Benchmark calls a benchmark several times, to find out how many iterations it needs and for each repetition.
/// The contestant lives until the next one is called, which begins with memory that nobody has used.
class Turn {
 public:
  explicit Turn(std::size_t total) : announcer_(total) {}

  Run& of(const Benchmark& benchmark) {
    if (current_ != &benchmark) {
      run_.reset();
      malloc_trim(0);
      announcer_.announce(benchmark);
      run_ = benchmark.make();
      current_ = &benchmark;
    }
    return *run_;
  }

  /// Makes room on the terminal.
  void pause() const { announcer_.clear(); }

 private:
  Announcer announcer_;
  const Benchmark* current_ = nullptr;
  std::unique_ptr<Run> run_;
};

void measure(benchmark::State& state, Run& run) {
  Sample total{.operations = 0};
  for (auto _ : state) {
    const Sample sample = run.iterate();
    state.SetIterationTime(sample.seconds);
    total = {total.seconds + sample.seconds, total.operations + sample.operations, sample.bytes};
  }
  state.counters["ns"] = 1e9 * total.seconds / total.operations;
  if (!std::isnan(total.bytes)) state.counters["bytes"] = total.bytes;
}

/// Takes what each repetition measured; or their median, where flags leave no more.
class Collector final : public benchmark::BenchmarkReporter {
 public:
  Collector(const Programme& programme, const Turn& turn, const Show& show)
      : programme_(programme), turn_(turn), show_(show) {}

  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const auto& run : runs)
      if (run.run_type == Run::RT_Iteration) take(run);
    for (const auto& run : runs)
      if (run.aggregate_name == "median" && !has_figure(run)) take(run);
  }

  void show_last() {
    if (results_.figures.empty()) return;
    turn_.pause();
    show_(results_, results_.figures.back().workload);
  }

  Results results() && { return std::move(results_); }

 private:
  bool has_figure(const Run& run) const { return !results_.figures.empty() && last_ == run.run_name.function_name; }

  void take(const Run& run) {
    const std::string name = run.run_name.function_name;
    if (!has_figure(run)) {
      const auto is_it = [&](const Benchmark& benchmark) { return benchmark.name() == name; };
      const auto found = std::find_if(programme_.begin(), programme_.end(), is_it);
      if (!results_.figures.empty() && results_.figures.back().workload.name != found->workload.name) show_last();
      results_.figures.push_back({found->workload, found->contestant, found->documents});
      last_ = name;
    }
    Figure& figure = results_.figures.back();
    const double ns = run.counters.at("ns");
    figure.ns.insert(std::upper_bound(figure.ns.begin(), figure.ns.end(), ns), ns);
    if (run.counters.contains("bytes") && figure.contestant.role != Role::floor)
      figure.bytes = run.counters.at("bytes");
  }

  const Programme& programme_;
  const Turn& turn_;
  const Show& show_;
  Results results_;
  std::string last_;
};

// Some peers take minutes to be filled with ten million documents: once has to do.
bool runs_once(const Benchmark& benchmark) {
  return benchmark.contestant.role == Role::peer && benchmark.documents >= 10'000'000;
}

}  // namespace

Programme select(const Programme& programme, const std::string& filter) try {
  const bool is_negative = filter.starts_with('-');
  const std::regex wanted(filter == "all" ? "." : filter.substr(is_negative ? 1 : 0), std::regex::extended);
  const auto is_wanted = [&](const Benchmark& b) { return std::regex_search(b.name(), wanted) != is_negative; };
  Programme selected;
  std::copy_if(programme.begin(), programme.end(), std::back_inserter(selected), [&](const Benchmark& candidate) {
    if (candidate.contestant.role != Role::floor) return is_wanted(candidate);
    return std::any_of(programme.begin(), programme.end(),
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

Results run(const Programme& programme, const RunOptions& options, const Show& show) {
  Turn turn(programme.size());
  for (const auto& benchmark : programme) {
    auto* added = benchmark::RegisterBenchmark(benchmark.name().c_str(),
                                               [&](benchmark::State& state) { measure(state, turn.of(benchmark)); });
    added->UseManualTime();
    if (benchmark.iterations.count > 0)
      added->Iterations(static_cast<benchmark::IterationCount>(benchmark.iterations.count));
    if (runs_once(benchmark) && !options.has_own_repetitions) added->Repetitions(1);
  }
  Collector collector(programme, turn, show);
  benchmark::RunSpecifiedBenchmarks(options.has_own_format ? nullptr : &collector, "all");
  collector.show_last();
  turn.pause();
  return std::move(collector).results();
}

std::string Benchmark::name() const {
  const auto size = documents == 0 ? "" : fmt::format("/{}", documents);
  return fmt::format("{}/{}{}", workload.name, contestant.name, size);
}

}  // namespace mayfly::bench
