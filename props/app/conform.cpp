#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "chosen_store.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "mayfly/props/property/check.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/property/runner.hpp"
#include "mayfly/props/report/conformance_result.hpp"
#include "mayfly/props/report/corpus.hpp"
#include "mayfly/props/report/output_file.hpp"
#include "mayfly/props/report/progress.hpp"
#include "mayfly/props/report/story_json.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/props/run/earlier_cases.hpp"
#include "mayfly/props/run/isolate.hpp"
#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/process/shared_memory.hpp"
#include "mayfly/sim/stopwatch.hpp"
#include "mayfly/sim/trace.hpp"
#include "real_time.hpp"
#include "report.hpp"
#include "seed.hpp"
#include "shown_failure.hpp"

namespace mayfly::app {

namespace {

namespace fs = std::filesystem;

struct ConformOptions : StoreOptions {
  bool reference = false;
  std::string seed = "1";  ///< fixed, so that a store always gets the same verdict
  std::optional<std::uint64_t> cases;
  std::optional<std::uint64_t> checks;
  std::optional<double> seconds;
  std::optional<std::string> expect;
  bool update_expect = false;
  std::optional<std::string> corpus;
  std::string save = ".";
  ReportOptions reports;
};

void declare(CommandLine& line, ConformOptions& options) {
  const auto counted = [&](const char* name, auto& option, const char* what, auto usual, auto in_real_time) {
    line.number(name, option, 1, 1'000'000,
                fmt::format("{} (default: {}, in real time {})", what, usual, in_real_time));
  };
  line.flag("--reference", options.reference, "Judge the reference, not the engine");
  line.text("--seed", options.seed, "SEED", "A number or a commit id");
  counted("--cases", options.cases, "Number of random cases", ConformancePlan{}.cases, cases_in_real_time);
  counted("--checks", options.checks, "Least number of checks of each rule", ConformancePlan{}.floor,
          checks_in_real_time);
  line.time("--time", options.seconds, "At most this long, such as 30s (default: until done)");
  line.text("--expect", options.expect, "FILE", "List of the rules known to be broken, with reasons");
  line.flag("--update-expect", options.update_expect, "Update the list of --expect");
  line.text("--corpus", options.corpus, "DIR", "Also run the traces in this folder");
  declare_store(line, options);
  declare_reports(line, options.reports, "Print only the verdict and what is wrong");
  line.output_folder("--save", options.save, "Where traces go, as mayfly-X1.jsonl and so on");
}

// For each finding, in seconds.
constexpr double seconds_of_shrinking_in_real_time = 30;
constexpr double most_seconds_of_starting_afresh = 10;

// In seconds, after the first timeout of a store.
constexpr double later_timeout = 0.5;

// In seconds, after an interrupt.
constexpr double timeout_when_interrupted = 1;

std::unique_ptr<Subject> judged_store(const ConformOptions& options) {
  if (options.reference) return std::make_unique<InProcess<ReferenceStore>>("reference");
  return chosen_store(options);
}

std::optional<KnownFailures> known_failures(const ConformOptions& options) {
  if (!options.expect) return std::nullopt;
  ensure_readable(*options.expect);
  std::ifstream in(*options.expect, std::ios::binary);
  const bool is_there = in.good();
  if (!is_there && options.update_expect && !fs::exists(*options.expect)) return KnownFailures();
  if (!is_there) throw InputError(fmt::format("--expect: {} cannot be read", *options.expect));
  return KnownFailures(in, *options.expect);
}

class Conform {
 public:
  Conform(const ConformOptions& options, const CommandLine& line)
      : options_(options),
        line_(line),
        progress_(!options.reports.quiet),
        store_(judged_store(options)),
        known_(known_failures(options)) {
    result_.seed = parse_seed(options.seed);
    result_.repeat = line.repetition({{"--seed", std::to_string(*result_.seed)}});
    plan_ = plan();
    if (is_in_real_time(*store_)) store_->remote()->cancel_when(is_interrupted);
    if (store_->remote() && !is_in_real_time(*store_)) store_->remote()->cancel_when(plan_.stop);
    pool_ = pool_for(*store_, parallel_cases, options.timeout, plan_.stop);
  }

  Exit run() {
    if (pool_ && !options_.reports.quiet) announce_real_time(*store_, parallel_cases);
    if (!store_->remote())
      if (const auto exit = judge_in_child()) return *exit;
    if (pool_) return judge(pool_->runner());
    return judge(Runner([&](const Property& p, const Case& c) { return ask_carefully(p, c); }));
  }

 private:
  ConformancePlan plan() {
    ConformancePlan plan;
    plan.seed = *result_.seed;
    const bool is_slow = is_in_real_time(*store_);
    plan.cases = options_.cases.value_or(is_slow ? cases_in_real_time : plan.cases);
    plan.floor = options_.checks.value_or(is_slow ? checks_in_real_time : plan.floor);
    if (is_slow) {
      plan.world.longest_case = longest_case_in_real_time;
      plan.world.longest_step = store_->features().longest_step.count();
      plan.shrinking = seconds_of_shrinking_in_real_time;
    }
    if (options_.corpus)
      for (const auto& traced : read_corpus(*options_.corpus))
        plan.corpus.push_back({traced.name, traced.trace.without_expectations()});
    plan.stop = [&] {
      alive_[0] = Stopwatch::now();
      if (const int signal = signal_[0]) interrupted = signal;
      if (progress_.is_due(watch_.seconds()))
        progress_.show(watch_.seconds(), fmt::format("{} run", counted(asked_, "case")));
      return interrupted != 0 || (options_.seconds && watch_.seconds() > *options_.seconds);
    };
    return plan;
  }

  // A store in this process may crash or hang, so a child judges it and reports. If the child does not finish, nothing
  // is returned, and the store has to be judged again with a process for each case.
  std::optional<Exit> judge_in_child() {
    alive_[0] = Stopwatch::now();
    const auto has_timed_out = [&] {
      if (is_interrupted()) signal_[0] = interrupted;
      const double most_seconds = is_interrupted() ? timeout_when_interrupted : options_.timeout;
      return Stopwatch::now() - alive_[0] > std::min(most_seconds, options_.timeout);
    };
    const Isolated ended =
        isolate([&] { return static_cast<int>(judge_and_flush()); }, has_timed_out, "did not answer");
    return ended.crash.empty() ? std::optional(static_cast<Exit>(ended.result)) : std::nullopt;
  }

  Exit judge_and_flush() {
    try {
      const Exit exit = judge(Runner([&](const Property& p, const Case& c) {
        alive_[0] = Stopwatch::now();
        return check(p, c, *store_);
      }));
      if (std::fflush(stdout) == 0) return exit;
      fmt::print(stderr, "mayfly: standard output cannot be written\n");
    } catch (const std::runtime_error& error) {
      fmt::print(stderr, "mayfly: {}\n", error.what());
    }
    return Exit::bad_input;
  }

  Exit judge(const Runner& asked) {
    const Runner runner = asked.narrowed([&](const Question&) { return ++asked_ > 0; },
                                         [&](const Question&, const Violation& violation) {
                                           if (pool_ && is_timeout_text(violation.crash))
                                             pool_->set_timeout(later_timeout);
                                           return true;
                                         });
    const Conformance found = conform(plan_, *store_, runner);
    result_.was_interrupted = is_interrupted();
    progress_.clear();
    bool is_written = update_expectations(found);
    conclude_conformance(result_, found, known_, store_->name());
    for (std::size_t i = 0; i < found.findings.size(); ++i) is_written &= show(found.findings[i].failure, i);
    alive_[0] = std::numeric_limits<double>::infinity();
    if (!options_.reports.quiet && store_->remote()) fmt::print("{}\n", introduction(*store_));
    return report(result_, options_.reports, is_written, repeat_line(result_));
  }

  std::optional<Violation> ask_carefully(const Property& property, const Case& test_case) {
    const double began = watch_.seconds();
    auto violation = check_isolated(property, test_case, *store_, timeout_, plan_.stop);
    if (plan_.stop()) return std::nullopt;  // it may have been cancelled
    const bool has_timed_out = violation && !violation->crash.empty() && watch_.seconds() - began >= timeout_;
    if (has_timed_out) timeout_ = std::min(timeout_, later_timeout);
    return violation;
  }

  // Runs the failure step by step and saves its trace. Returns whether it could be saved.
  bool show(const Failure& failure, std::size_t place) {
    alive_[0] = Stopwatch::now();
    ReportedFinding& finding = result_.findings[place];
    const FreshFailure fresh = afresh(failure);
    const Story story = tell_story(fresh.failure, *store_);
    finding.trace = trace_text(fresh);
    finding.text = dependence_text(fresh) + text_of(story, finding.trace);
    finding.story = story_json(story);
    const std::string file = file_of(place);
    const bool is_saved = write_or_say(file, finding.trace);
    if (is_saved) finding.file = file;
    return is_saved;
  }

  /// Named after the rule, with a number from the second finding of that rule on.
  std::string file_of(std::size_t place) const {
    const auto name = [&](const ReportedFinding& finding) {
      if (finding.rule) return id_of(*finding.rule);
      return finding.candidates.empty() ? std::string_view("violation") : "unattributed";
    };
    const auto& all = result_.findings;
    const auto earlier = std::count_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(place),
                                       [&](const auto& other) { return name(other) == name(all[place]); });
    const std::string number = earlier == 0 ? "" : fmt::format(".{}", earlier + 1);
    const auto file = fs::path(options_.save) / fmt::format("mayfly-{}{}.jsonl", name(all[place]), number);
    return options_.save == "." ? file.filename().string() : file.string();
  }

  // A trace has to show the failure in a fresh process of the target, so it includes the cases that this takes.
  FreshFailure afresh(const Failure& failure) {
    FreshFailure found{{}, failure};
    RemoteSubject* remote = store_->remote();
    if (!remote || pool_ || is_interrupted() || !failure.violation.crash.empty()) return found;
    const Stopwatch watch;
    const auto stop = [&] { return is_interrupted() || watch.seconds() > most_seconds_of_starting_afresh; };
    remote->cancel_when({});
    found = fail_afresh(failure, failure, {}, *remote, stop);
    prepare(found, *remote);
    return found;
  }

  // An incomplete run says nothing against the list.
  bool update_expectations(const Conformance& found) {
    if (!options_.update_expect || found.was_stopped) return true;
    const std::string text = known_->updated(found);
    if (!write_or_say(*options_.expect, text)) return false;
    std::istringstream in(text);
    known_ = KnownFailures(in, *options_.expect);
    return true;
  }

  const ConformOptions& options_;
  const CommandLine& line_;
  Progress progress_;
  std::unique_ptr<Subject> store_;
  std::optional<KnownFailures> known_;
  Stopwatch watch_;
  double timeout_ = options_.timeout;
  std::uint64_t asked_ = 0;
  ConformancePlan plan_;
  std::unique_ptr<WorkerPool> pool_;
  Result result_ = new_result(line_, options_, *store_);
  SharedMemory<std::atomic<double>> alive_{1};  ///< when the child last made progress
  SharedMemory<std::atomic<int>> signal_{1};    ///< the signal that interrupted the parent, or 0
};

Exit conform(const ConformOptions& options, const CommandLine& line) {
  if (options.update_expect && !options.expect) throw InputError("--update-expect needs --expect FILE");
  if (options.reference && options.target) throw InputError("--reference and --target exclude each other");
  if (options.update_expect) ensure_writable("--expect", *options.expect);
  if (options.corpus) ensure_corpus("--corpus", *options.corpus);
  watch_for_interrupt();
  return Conform(options, line).run();
}

}  // namespace

Command conform_command() { return command("conform", "A verdict on a store for every rule", declare, conform); }

}  // namespace mayfly::app
