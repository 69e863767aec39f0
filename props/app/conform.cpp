#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "chosen_store.hpp"
#include "command.hpp"
#include "conformance_file.hpp"
#include "conformance_report.hpp"
#include "corpus.hpp"
#include "interrupt.hpp"
#include "mayfly/props/earlier_cases.hpp"
#include "mayfly/props/isolate.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/report/story_json.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/props/shared.hpp"
#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/stopwatch.hpp"
#include "mayfly/sim/trace.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "real_time.hpp"
#include "seed.hpp"
#include "violation.hpp"

namespace mayfly::app {

namespace {

namespace fs = std::filesystem;

struct ConformOptions : StoreOptions {
  bool reference = false;
  std::string seed = "1";  ///< fixed, so that the same store gets the same verdict
  std::optional<std::uint64_t> cases;
  std::optional<std::uint64_t> checks;
  std::optional<double> seconds;
  std::optional<std::string> expect;
  bool update_expect = false;
  std::optional<std::string> corpus;
  std::string save = ".";
  std::optional<std::string> json;
  std::optional<std::string> junit;
  std::optional<std::string> html;
  bool quiet = false;
};

void declare(CommandLine& line, ConformOptions& options) {
  const auto counted = [&](const char* name, auto& option, const char* what, auto usual, auto in_real_time) {
    line.number(name, option, 1, 1'000'000,
                fmt::format("{} (default: {}, in real time {})", what, usual, in_real_time));
  };
  line.flag("--reference", options.reference, "Judge the reference, not the engine");
  line.text("--seed", options.seed, "SEED", "A number or a commit id");
  counted("--cases", options.cases, "Random cases to begin with", ConformancePlan{}.cases, cases_in_real_time);
  counted("--checks", options.checks, "Checks of each rule", ConformancePlan{}.floor, checks_in_real_time);
  line.time("--time", options.seconds, "For how long at most, such as 30s (default: until done)");
  line.text("--expect", options.expect, "FILE", "The rules that are known to be broken, with reasons");
  line.flag("--update-expect", options.update_expect, "Bring that file up to date");
  line.text("--corpus", options.corpus, "DIR", "Try the traces there as well");
  declare_store(line, options);
  line.group(CommandLine::output_group);
  line.output_folder("--save", options.save, "Where traces go, mayfly-X1.jsonl and so on");
  line.output_file("--json", options.json, "Write the result to this file as well");
  line.output_file("--junit", options.junit, "Write test cases for build servers to this file");
  line.output_file("--html", options.html, "Write the result as a page for people as well");
  line.flag("--quiet", options.quiet, "Only what is wrong, and the verdict");
}

constexpr double seconds_of_shrinking_in_real_time = 30;  // each finding
constexpr double most_seconds_of_starting_afresh = 10;    // the same

// Who hangs once is not waited for as long again.
constexpr double patience_with_who_hangs = 0.5;

std::unique_ptr<Subject> judged_store(const ConformOptions& options) {
  if (options.reference) return std::make_unique<InProcess<ReferenceStore>>("reference");
  return chosen_store(options);
}

/// What the store calls itself.
std::string name_of_store(Subject& store) {
  const RemoteSubject* remote = store.remote();
  if (!remote) return store.name();
  boost::json::error_code error;
  const auto name = boost::json::parse(remote->own_name(), error);
  return !error && name.is_string() ? boost::json::value_to<std::string>(name) : remote->own_name();
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

/// What the file with its trace is called by.
std::string_view file_of(const Finding& finding) {
  if (finding.rule) return id_of(*finding.rule);
  return finding.candidates.empty() ? "violation" : "unattributed";
}

class Conform {
 public:
  Conform(const ConformOptions& options, const CommandLine& line)
      : options_(options), line_(line), progress_(!options.quiet), store_(judged_store(options)) {
    report_.known = known_failures(options);
    report_.store = name_of_store(*store_);
    report_.role = store_->name();
    report_.target = options.target.value_or("");
    report_.access = line.given(CommandLine::store_group);
    report_.features = store_->features();
    report_.seed = parse_seed(options.seed);
    plan_ = plan();
    if (is_in_real_time(*store_)) store_->remote()->fail_when(is_interrupted);
    if (store_->remote() && !is_in_real_time(*store_)) store_->remote()->fail_when(plan_.stop);
    pool_ = pool_for(*store_, side_by_side, options.timeout, plan_.stop);
  }

  Exit run() {
    if (pool_ && !options_.quiet) say_that_time_is_real(*store_, side_by_side);
    const bool is_safe = !store_->remote() && survives();
    const Runner one_by_one(
        [&](const Property& p, const Case& c) { return is_safe ? check(p, c, *store_) : ask_carefully(p, c); });
    const Runner runner = (pool_ ? pool_->runner() : one_by_one)
                              .narrowed([&](const Question&) { return ++asked_ > 0; },
                                        [&](const Question&, const Violation& violation) {
                                          if (pool_ && is_hang_text(violation.crash))
                                            pool_->set_timeout(patience_with_who_hangs);
                                          return true;
                                        });
    report_.result = conform(plan_, *store_, runner);
    report_.was_interrupted = interrupted != 0;
    progress_.clear();
    bool is_written = true;
    for (std::size_t i = 0; i < report_.result.findings.size(); ++i) is_written &= tell(i);
    is_written &= update_expectations();
    print();
    if (options_.json) is_written &= write_or_say(*options_.json, to_json_text(report_));
    if (options_.junit) is_written &= write_or_say(*options_.junit, junit_of(report_));
    if (options_.html)
      is_written &=
          write_or_say(*options_.html, to_page(report_, line_.repetition({{"--seed", std::to_string(report_.seed)}})));
    if (report_.is_violated()) return Exit::violation;
    if (!is_written) return Exit::bad_input;
    if (report_.was_interrupted) return Exit::interrupted;
    return report_.is_inconclusive() ? Exit::inconclusive : Exit::held;
  }

 private:
  ConformancePlan plan() {
    ConformancePlan plan;
    plan.seed = report_.seed;
    const bool is_slow = is_in_real_time(*store_);
    plan.cases = options_.cases.value_or(is_slow ? cases_in_real_time : plan.cases);
    plan.floor = options_.checks.value_or(is_slow ? checks_in_real_time : plan.floor);
    if (is_slow) {
      plan.shape.longest_case = longest_case_in_real_time;
      plan.shape.longest_step = store_->features().longest_step.count();
      plan.shrinking = seconds_of_shrinking_in_real_time;
    }
    if (options_.corpus)
      for (const auto& traced : read_corpus(*options_.corpus))
        plan.corpus.push_back({traced.name, traced.trace.without_expectations()});
    plan.stop = [&] {
      if (progress_.is_due(watch_.seconds()))
        progress_.show(watch_.seconds(), fmt::format("{} asked", counted(asked_, "case")));
      return interrupted != 0 || (options_.seconds && watch_.seconds() > *options_.seconds);
    };
    return plan;
  }

  // A store of this process is asked everything in another one first. If it survives that, it will do so again, and
  // need not be asked each case in a process of its own.
  bool survives() {
    Shared<std::atomic<double>> began(1);
    began[0] = Stopwatch::now();
    const auto ask_all = [&] {
      conform(plan_, *store_, [&](const Property& p, const Case& c) {
        began[0] = Stopwatch::now();
        return check(p, c, *store_);
      });
      return 0;
    };
    const auto hangs = [&] { return interrupted != 0 || Stopwatch::now() - began[0] > options_.timeout; };
    return isolate(ask_all, hangs, "hangs").crash.empty();
  }

  std::optional<Violation> ask_carefully(const Property& property, const Case& test_case) {
    const double began = watch_.seconds();
    auto violation = check_isolated(property, test_case, *store_, patience_, plan_.stop);
    if (plan_.stop()) return std::nullopt;  // it may have been cancelled
    const bool hung = violation && !violation->crash.empty() && watch_.seconds() - began >= patience_;
    if (hung) patience_ = std::min(patience_, patience_with_who_hangs);
    return violation;
  }

  // Tells the finding and saves its trace. False if it could not be saved.
  bool tell(std::size_t place) {
    const Finding& finding = report_.result.findings[place];
    const auto& before = report_.result.findings;
    const auto earlier = std::count_if(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(place),
                                       [&](const Finding& other) { return file_of(other) == file_of(finding); });
    const std::string number = earlier == 0 ? "" : fmt::format(".{}", earlier + 1);
    std::string file = (fs::path(options_.save) / fmt::format("mayfly-{}{}.jsonl", file_of(finding), number)).string();
    if (file.starts_with("./")) file.erase(0, 2);
    const FreshFailure fresh = afresh(finding.failure);
    const bool is_saved = write_or_say(file, trace_text(fresh));
    const Story story = tell_story(fresh.failure, *store_);
    report_.told.push_back(
        {dependence_text(fresh) + text_of(story, trace_text(fresh)), is_saved ? file : "", story_json(story)});
    return is_saved;
  }

  // A trace has to show the failure in a fresh process of the target, with the cases that have to come before it.
  FreshFailure afresh(const Failure& failure) {
    FreshFailure found{{}, failure};
    RemoteSubject* remote = store_->remote();
    if (!remote || pool_ || is_interrupted() || !failure.violation.crash.empty()) return found;
    const Stopwatch watch;
    const auto stop = [&] { return is_interrupted() || watch.seconds() > most_seconds_of_starting_afresh; };
    remote->fail_when({});
    found = fail_afresh(failure, failure, {}, *remote, stop);
    prepare(found, *remote);
    return found;
  }

  // What was not asked to the end is no reason to forget what is known.
  bool update_expectations() {
    if (!options_.update_expect || report_.result.was_stopped) return true;
    const std::string text = report_.known->updated(report_.result);
    if (!write_or_say(*options_.expect, text)) return false;
    std::istringstream in(text);
    report_.known = KnownFailures(in, *options_.expect);
    return true;
  }

  void print() {
    if (!options_.quiet && store_->remote()) fmt::print("{}\n", introduction(*store_));
    fmt::print("{}{}", verdict_table(report_, options_.quiet), told_findings(report_, line_.program()));
    fmt::print("{}{}", annotations_of(report_), verdict_lines(report_));
    fmt::print("seed {}; repeat with: {}\n", report_.seed,
               line_.repetition({{"--seed", std::to_string(report_.seed)}}));
  }

  const ConformOptions& options_;
  const CommandLine& line_;
  Progress progress_;
  std::unique_ptr<Subject> store_;
  Stopwatch watch_;
  double patience_ = options_.timeout;
  std::uint64_t asked_ = 0;
  ConformancePlan plan_;
  std::unique_ptr<WorkerPool> pool_;
  ConformanceReport report_;
};

Exit conform(const ConformOptions& options, const CommandLine& line) {
  if (options.update_expect && !options.expect) throw InputError("--update-expect needs --expect FILE");
  if (options.reference && options.target) throw InputError("--reference and --target name different stores");
  if (options.update_expect) ensure_writable("--expect", *options.expect);
  if (options.corpus) ensure_corpus(*options.corpus);
  watch_for_interrupt();
  return Conform(options, line).run();
}

}  // namespace

Command conform_command() { return command("conform", "A verdict on a store for every rule", declare, conform); }

}  // namespace mayfly::app
