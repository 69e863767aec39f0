#include "mayfly/props/property/check.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <unistd.h>

#include <fmt/format.h>

#include "chosen_store.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "mayfly/props/conformance/conformance.hpp"
#include "mayfly/props/property/exercise.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/report/campaign_result.hpp"
#include "mayfly/props/report/corpus.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/report/progress.hpp"
#include "mayfly/props/report/story_json.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/props/run/batches.hpp"
#include "mayfly/props/run/earlier_cases.hpp"
#include "mayfly/props/run/isolate.hpp"
#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/json.hpp"
#include "mayfly/sim/stopwatch.hpp"
#include "mayfly/sim/trace.hpp"
#include "real_time.hpp"
#include "report.hpp"
#include "seed.hpp"
#include "shown_failure.hpp"
#include "under_test.hpp"
#include "unknown_word.hpp"

namespace mayfly::app {

namespace {

struct CheckOptions : StoreOptions {
  std::optional<std::string> seed;
  std::optional<std::uint64_t> cases;
  std::optional<double> seconds;
  std::optional<std::string> world;
  std::optional<std::uint64_t> longest_case;
  std::optional<std::uint64_t> jobs;
  std::optional<std::string> shard;
  bool keep_going = false;
  std::optional<std::string> corpus;
  bool no_canary = false;
  std::optional<std::string> save;
  bool verbose = false;
  ReportOptions reports;
};

std::string world_names() {
  std::string names;
  for (const World& world : all_worlds) names += fmt::format("{}{}", names.empty() ? "" : ", ", world.name);
  return names;
}

void declare(CommandLine& line, CheckOptions& options) {
  line.text("--seed", options.seed, "SEED", "A number or a commit id (default: a random one)");
  line.number("--cases", options.cases, 1, 1'000'000'000'000, "Number of cases");
  line.time("--time", options.seconds, "How long, such as 5m (default: 10s, or until --cases are done)");
  line.text("--world", options.world, "NAME", "Only cases of this world: " + world_names());
  line.number("--ops", options.longest_case, 1, 100'000, "Longest case, in operations; most small ones have up to 100");
  line.number("--jobs", options.jobs, 1, 1'000, "Number of processes (default: one for each core)");
  line.text("--shard", options.shard, "I/N", "Part I of N, I from 0 (default: from the environment)");
  line.flag("--keep-going", options.keep_going, "Go on after a violation; each defect is reported once");
  line.text("--corpus", options.corpus, "DIR", "Replay the traces there first, and save new ones there");
  line.flag("--no-canary", options.no_canary, "Skip the self-test that looks for a planted defect");
  declare_store(line, options);
  declare_reports(line, options.reports, "Print only the verdict and violations");
  line.flag("--verbose", options.verbose, "Also print how often each world exercised each rule");
  line.output_file("--save", options.save, save_help);
}

constexpr double most_seconds_of_shrinking = 20;
constexpr double most_seconds_of_shrinking_in_real_time = 60;
constexpr std::size_t most_cases_before = 100;  // on which a failure may depend
constexpr std::uint64_t most_cases_one_by_one = 10;
constexpr double most_seconds_one_by_one = 1;

// A run of fewer cases is inconclusive, unless --cases asks for fewer. In real time a case takes seconds.
constexpr std::uint64_t least_cases = 100;
constexpr std::uint64_t least_cases_in_real_time = 20;

Shard parse_shard(std::string_view where, const std::string& text) {
  const auto slash = text.find('/');
  const auto index = parse_number(std::string_view(text).substr(0, slash));
  const auto count = slash == std::string::npos ? std::nullopt : parse_number(std::string_view(text).substr(slash + 1));
  if (index && count && *index < *count && *count <= 1'000'000) return {*index, *count};
  throw InputError(fmt::format("{} must be I/N with I from 0 to N-1, got \"{}\"", where, text));
}

/// The variables by which a test runner or a batch system gives a job its index and the number of jobs.
struct ShardVariables {
  const char* index;
  const char* count;
  const char* first;  ///< holds the first index; null if that is 0
};
constexpr std::array shard_variables{
    ShardVariables{"GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS", nullptr},
    ShardVariables{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN"},
    ShardVariables{"JOB_COMPLETION_INDEX", "JOB_COMPLETIONS", nullptr},  // Kubernetes; the job itself sets the count
};

std::string environment(const char* name) {
  const char* value = name ? std::getenv(name) : nullptr;
  return value ? value : "";
}

/// The first of them that are set, or null.
const ShardVariables* set_shard_variables() {
  for (const auto& variables : shard_variables)
    if (!environment(variables.index).empty() || !environment(variables.count).empty()) return &variables;
  return nullptr;
}

Shard shard_of(const ShardVariables& variables) {
  const auto& [index, count, first] = variables;
  const std::string place = environment(index), total = environment(count);
  if (place.empty() || total.empty())
    throw InputError(fmt::format("{} is set and {} is not: set both, or give --shard I/N",
                                 total.empty() ? index : count, total.empty() ? count : index));
  const auto number = parse_number(place);
  const auto from_zero = number ? std::to_string(*number - parse_number(environment(first)).value_or(0)) : place;
  return parse_shard(index, from_zero + "/" + total);
}

// Shards of one campaign have the same seed, so a random one will not do.
Shard shard_of(const CheckOptions& options) {
  const ShardVariables* variables = options.shard ? nullptr : set_shard_variables();
  const Shard shard = options.shard ? parse_shard("--shard", *options.shard)
                      : variables   ? shard_of(*variables)
                                    : Shard();
  if (shard.count > 1 && !options.seed)
    throw InputError(fmt::format("shard {}/{} needs --seed, the same for all shards: without it they cannot be merged",
                                 shard.index, shard.count));
  return shard;
}

/// Otherwise the user could take the shard for the whole campaign.
void announce_shard_of_environment(const Shard& shard) {
  if (const auto* variables = set_shard_variables())
    fmt::print("shard {}/{}, from {} and {}\n", shard.index, shard.count, variables->index, variables->count);
}

std::string settings_of(const CheckOptions& options) {
  std::string settings;
  if (options.cases) settings += fmt::format(" --cases {}", *options.cases);
  if (options.seconds) settings += fmt::format(" --time {:g}s", *options.seconds);
  if (options.world) settings += fmt::format(" --world {}", *options.world);
  if (options.longest_case) settings += fmt::format(" --ops {}", *options.longest_case);
  if (options.keep_going) settings += " --keep-going";
  return settings;
}

Worlds worlds_of(const CheckOptions& options) {
  Worlds worlds;
  if (options.world) {
    std::vector<std::string> names;
    for (const World& world : all_worlds) names.emplace_back(world.name);
    worlds = *world_named(known_word("world", *options.world, names, "those are " + world_names()));
  }
  return options.longest_case ? worlds.up_to(*options.longest_case) : worlds;
}

void adapt_to_time(CampaignPlan& plan, const CheckOptions& options, const Subject& store, RemoteSubject::Time time) {
  if (time == RemoteSubject::Time::shared) {
    if (plan.jobs > 1 && options.jobs) throw InputError("--jobs: the target has one clock, so only one job can run");
    plan.jobs = 1;
  }
  if (time == RemoteSubject::Time::real) {
    plan.jobs = static_cast<unsigned>(options.jobs.value_or(parallel_cases));
    plan.worlds = plan.worlds.in_real_time(longest_case_in_real_time, store.features().longest_step.count());
    if (plan.worlds.empty())
      throw InputError(fmt::format("--world: {} has cases that take too long where time is real", *options.world));
  }
}

CampaignPlan plan_of(const CheckOptions& options, Subject& store) {
  CampaignPlan plan;
  plan.seed = options.seed ? parse_seed(*options.seed) : std::random_device{}();
  plan.worlds = worlds_of(options);
  plan.shard = shard_of(options);
  const auto cores = static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  plan.jobs = static_cast<unsigned>(options.jobs.value_or(cores));
  plan.cases = options.cases.value_or(plan.cases);
  plan.most_seconds = options.seconds.value_or(options.cases ? 1e9 : 10);
  if (options.seconds) plan.longest_wait = *options.seconds;
  plan.case_seconds = options.timeout;
  plan.keep_going = options.keep_going;
  if (const auto* remote = store.remote()) adapt_to_time(plan, options, store, remote->time());
  return plan;
}

class Check {
 public:
  Check(const CheckOptions& options, const CommandLine& line)
      : options_(options),
        line_(line),
        store_(chosen_store(options)),
        plan_(plan_of(options, *store_)),
        progress_(!options.reports.quiet),
        search_(plan_.seed, plan_.worlds, *store_, reference()) {}

  Exit run() {
    if (!options_.shard) announce_shard_of_environment(plan_.shard);
    if (pool_ && !options_.reports.quiet) announce_real_time(*store_, plan_.jobs);
    begin_result();
    if (!options_.no_canary) search_canary();
    if (options_.corpus) replay_corpus();
    if (store_->remote() && store_->features().batch && !pool_) search_one_by_one();
    if (is_interrupted())
      result_.was_interrupted = true;
    else if (result_.findings.empty() || options_.keep_going)
      search();
    return report();
  }

 private:
  // Laws are checked on the reference as well, unless the store under test is a target.
  Subject* reference() { return store_->remote() ? nullptr : &reference_; }

  void begin_result() {
    result_.seed = plan_.seed;
    campaign_.settings = settings_of(options_);
    campaign_.shard_count = plan_.shard.count;
    campaign_.shards = {plan_.shard.index};
    campaign_.least_cases = std::min(plan_.cases, pool_ ? least_cases_in_real_time : least_cases);
    campaign_.hidden = hidden_by(*store_);
  }

  // A run that misses a known defect proves nothing by finding no other. The cases have the usual length whatever --ops
  // says, because short ones may be unable to show the defect.
  void search_canary() {
    const auto canary = canary_store(canary_of(plan_.seed));
    const bool is_caught = random_search(*canary, plan_.seed, most_operations_of_canary).failure.has_value();
    campaign_.canary = is_caught ? "caught" : "survived";
  }

  // Traces are values: they stay valid when the generator changes.
  void replay_corpus() {
    const auto corpus = read_corpus(*options_.corpus);
    for (const auto& [name, file, trace] : corpus) {
      if (is_interrupted()) break;
      auto finding = replay_properties(trace.without_expectations());
      if (!finding) finding = replay_expectations(file, trace);
      result_.traces.push_back({.name = name, .is_met = !finding, .is_red = finding.has_value(), .finding = finding});
    }
  }

  /// The place of the finding, if a property fails.
  std::optional<std::size_t> replay_properties(const Case& test_case) {
    const Runner one_by_one([&](const Property& property, const Case& c) {
      return check_isolated(property, c, *store_, plan_.case_seconds, is_interrupted);
    });
    const Runner runner = pool_ ? pool_->runner() : one_by_one;
    auto property = all_properties().begin();
    auto failure = runner
                       .first_failure([&]() -> std::optional<Question> {
                         if (property == all_properties().end() || is_interrupted()) return std::nullopt;
                         return Question{&*property++, test_case};
                       })
                       .failure;
    if (!failure || is_interrupted()) return std::nullopt;  // it may have been cancelled
    return add_failure({failure->question.property, test_case, std::move(failure->violation)}, *store_, std::nullopt);
  }

  /// The same if an answer differs from what the trace expects.
  std::optional<std::size_t> replay_expectations(const std::string& file, const TraceCase& trace) {
    const bool expects = std::any_of(trace.steps.begin(), trace.steps.end(),
                                     [](const TraceStep& step) { return step.expect.has_value(); });
    if (!expects || !can_run(store_->features(), trace.without_expectations())) return std::nullopt;
    try {
      store_->reset(trace.start);
      for (const auto& step : trace.steps) {
        const Outcome answer = store_->apply(step.operation);
        if (!step.expect || step.expect->is_met_by(answer)) continue;
        return add_unmet(trace, fmt::format("{}:{}: expected {}\n{} answered {}", file, step.line,
                                            to_line(step.expect->json()), store_->name(), to_line(to_json(answer))));
      }
    } catch (const StoreFailure& failure) {  // it answered a moment ago
      if (is_interrupted()) return std::nullopt;
      return add_unmet(trace, fmt::format("{}: the {} {}", file, store_->name(), failure.what()));
    }
    return std::nullopt;
  }

  std::size_t add_unmet(const TraceCase& trace, const std::string& how) {
    return add_unshown(trace_text(trace), "a trace of the corpus is answered as it expects", how, std::nullopt);
  }

  /// A finding without steps to show.
  std::size_t add_unshown(std::string trace, std::string property, const std::string& how,
                          std::optional<std::uint64_t> number) {
    ReportedFinding finding{.store = store_->name(), .property = std::move(property), .trace = std::move(trace)};
    finding.headline = fmt::format("the {} breaks \"{}\"", finding.store, finding.property);
    finding.intro = fmt::format("VIOLATION: {}\n{}\n", finding.headline, how);
    take_number(finding, number);
    return add(result_.findings, std::move(finding));
  }

  void take_number(ReportedFinding& finding, std::optional<std::uint64_t> number) const {
    finding.number = number;
    if (number) finding.world = search_.world_of(*number).name;
  }

  // Cases are sent in batches. Some are also sent request by request, because a store may answer these otherwise.
  void search_one_by_one() {
    const auto is_over = stop_after(most_seconds_one_by_one);
    const Runner one_by_one([&](const Property& property, const Case& test_case) {
      AskedOneByOne target(*store_->remote());
      return check(property, test_case, target);
    });
    for (std::uint64_t number = 0; number < most_cases_one_by_one && number < plan_.cases && !is_over(); ++number) {
      const Case test_case = search_.case_of(number);
      store_->remote()->cancel_when(is_over);
      auto violation = one_by_one(agrees_unwatched(), test_case);
      const bool only_one_by_one = violation && !is_over() && !check(agrees_unwatched(), test_case, *store_);
      store_->remote()->cancel_when({});
      if (!only_one_by_one) continue;
      const Minimised minimised =
          minimise({&agrees_unwatched(), test_case, std::move(*violation)}, one_by_one, stop_shrinking());
      add_finding({{}, minimised.failure}, *store_, shrunk_text(test_case.steps.size(), minimised, number), number);
      return;
    }
  }

  void search() {
    const auto observer = [&](const CampaignResult& so_far) {
      if (progress_.is_due(so_far.seconds)) progress_.show(so_far.seconds, progress_line(so_far));
      return is_interrupted();
    };
    const CampaignResult found = run_campaign(plan_, *store_, reference(), observer);
    progress_.clear();
    campaign_.tally = found.tally;
    campaign_.worlds = reported(found.worlds);
    campaign_.laws = found.laws;
    campaign_.answered = found.answered;
    result_.seconds = found.seconds;
    campaign_.digest = found.digest;
    result_.cases = found.cases;
    result_.was_interrupted = found.was_interrupted;
    if (options_.keep_going) result_.not_investigated = found.unreported;
    for (const auto& failed : found.failed_cases) {
      add_failed_case(failed);
      if (!options_.keep_going || is_interrupted()) break;  // the lowest number, which does not depend on the workers
    }
  }

  void add_failed_case(const FailedCase& failed) {
    auto reproduced = reproduce(failed, search_, plan_.case_seconds, is_interrupted);
    const bool may_be_cancelled = is_interrupted() && (!reproduced || !reproduced->failure.violation.crash.empty());
    if (reproduced && !may_be_cancelled)
      add_failure(std::move(reproduced->failure), *reproduced->subject, failed.number);
    else if (may_be_cancelled || !add_dependent(failed))
      add_unreproduced(failed, may_be_cancelled ? "and was not run again because of the interrupt"
                                                : "but not when it was run again on its own");
  }

  // A case that fails once and not again: the store depends on more than its requests.
  void add_unreproduced(const FailedCase& failed, std::string_view but) {
    const auto how = fmt::format("case {} {}, {}", failed.number,
                                 failed.crash.empty() ? "failed after other cases" : failed.crash, but);
    add_unshown(trace_text(search_.case_of(failed.number)), std::string(all_properties().back().name), how,
                failed.number);
  }

  /// Adds a finding if the case fails in a fresh process of the target after the cases that its worker ran before it.
  /// Returns whether it does.
  bool add_dependent(const FailedCase& failed) {
    RemoteSubject* remote = store_->remote();
    if (!remote || pool_) return false;
    const Failure failure{search_.tasks_of(failed.number).front().property, search_.case_of(failed.number), {}};
    const FreshFailure fresh = fail_afresh(failure, {}, cases_before(failed.number), *remote, stop_shrinking());
    const bool has_failed = fresh.failure.property && !fresh.passes;
    if (has_failed && !is_interrupted())
      add_finding(fresh, *store_, fmt::format("found in {}\n\n", place_of(failed.number)), failed.number);
    return has_failed;
  }

  /// The last cases that the worker ran before this one.
  std::vector<Case> cases_before(std::optional<std::uint64_t> number) const {
    std::vector<Case> cases;
    const std::uint64_t stride = plan_.shard.count * plan_.jobs;
    for (std::uint64_t n = number.value_or(0); n >= stride && cases.size() < most_cases_before; n -= stride)
      cases.push_back(search_.case_of(n - stride));
    std::reverse(cases.begin(), cases.end());
    return cases;
  }

  /// Whether this time is over, from now on, or the run is interrupted.
  static std::function<bool()> stop_after(double seconds) {
    return [=, watch = Stopwatch()] { return is_interrupted() || watch.seconds() > seconds; };
  }

  std::function<bool()> stop_shrinking() const {
    return stop_after(pool_ ? most_seconds_of_shrinking_in_real_time : most_seconds_of_shrinking);
  }

  /// Shrinks the failure and adds it. Returns the place of the finding. A case of the corpus has no number.
  std::size_t add_failure(Failure failure, Subject& subject, std::optional<std::uint64_t> number) {
    const std::size_t before = failure.test_case.steps.size();
    if (!options_.reports.quiet)
      fmt::print(stderr, "violation in {}, of {}; shrinking\n", place_of(number), counted(before, "operation"));
    stop_ = stop_shrinking();
    Minimised minimised = minimise_isolated(failure, subject, plan_.case_seconds, stop_, pool_.get());
    stop_ = is_interrupted;
    if (pool_) subject.remote()->cancel_when(stop_);
    const FreshFailure fresh = afresh(failure, minimised.failure, subject, number);
    minimised.failure = fresh.failure;
    return add_finding(fresh, subject, shrunk_text(before, minimised, number), number);
  }

  std::string place_of(std::optional<std::uint64_t> number) const {
    return number ? fmt::format("case {}, {}", *number, search_.world_of(*number).name) : "the corpus";
  }

  std::string shrunk_text(std::size_t before, const Minimised& minimised, std::optional<std::uint64_t> number) const {
    return fmt::format("shrunk from {} to {} in {}{} [{}]\n\n", before,
                       counted(minimised.failure.test_case.steps.size(), "operation"), counted(minimised.runs, "run"),
                       minimised.is_minimal ? "" : ", stopped early", place_of(number));
  }

  // The failure, and every run while it was shrunk, may depend on what the target kept of earlier cases.
  FreshFailure afresh(const Failure& original, const Failure& smallest, Subject& subject,
                      std::optional<std::uint64_t> number) {
    FreshFailure fresh{{}, smallest};
    RemoteSubject* remote = subject.remote();
    if (!remote || pool_ || is_interrupted()) return fresh;
    remote->set_timeout(plan_.case_seconds);
    return fail_afresh(original, smallest, cases_before(number), *remote, stop_shrinking());
  }

  std::size_t add_finding(const FreshFailure& fresh, Subject& subject, const std::string& how,
                          std::optional<std::uint64_t> number) {
    const Failure& failure = fresh.failure;
    if (subject.remote() && !pool_ && !is_interrupted()) prepare(fresh, *subject.remote());
    const auto [story, batch] = show_failure(failure, subject);
    ReportedFinding finding = reported(failure, subject.name());
    finding.intro = fmt::format("VIOLATION: {}\n{}{}{}{}", finding.headline, how,
                                advice_on(subject, failure.violation.crash), dependence_text(fresh), batch);
    finding.trace = trace_text(fresh);
    finding.text = text_of(story, finding.trace);
    finding.rule = likely_rule(failure, subject);
    if (finding.rule) finding.headline = fmt::format("{}: {}", id_of(*finding.rule), finding.headline);
    take_number(finding, number);
    finding.earlier = fresh.earlier.size();
    finding.differs_in_batch = !batch.empty();
    finding.story = story_json(story);
    return add(result_.findings, std::move(finding));
  }

  std::string progress_line(const CampaignResult& so_far) const {
    const auto operations = so_far.tally.operations();
    const std::string left =
        options_.cases && !options_.seconds
            ? fmt::format("{} left", counted(plan_.cases - std::min(plan_.cases, so_far.cases), "case"))
            : fmt::format("{:.0f} s left", std::max(0.0, plan_.most_seconds - so_far.seconds));
    return fmt::format("{} cases  {} operations  {}/s  {}", with_commas(so_far.cases), with_commas(operations),
                       rate(operations, so_far.seconds), left);
  }

  Exit report() {
    result_.campaign = campaign_;
    result_.is_verbose = options_.verbose;
    result_.repeat = repeat_command();
    conclude_campaign(result_);
    const bool is_saved = save_traces(result_.findings, options_.save, options_.corpus);
    if (!options_.reports.quiet && result_.cases > 0) fmt::print("{}", introduction(*store_));
    return app::report(result_, options_.reports, is_saved, repeat_line(result_));
  }

  // Without --cases the time ended the run, and would end a repetition at another case.
  std::string repeat_command() const {
    CommandLine::Settled settled{{"--seed", std::to_string(plan_.seed)}, {"--cases", std::to_string(last_case() + 1)}};
    if (!options_.cases) settled.emplace_back("--time", std::nullopt);
    if (plan_.shard.count > 1)
      settled.emplace_back("--shard", fmt::format("{}/{}", plan_.shard.index, plan_.shard.count));
    return line_.repetition(settled);
  }

  // The highest case number that a repetition has to reach.
  std::uint64_t last_case() const {
    if (options_.cases) return plan_.cases - 1;
    std::uint64_t last = std::max<std::uint64_t>(result_.cases * plan_.shard.count, 1) - 1;
    for (const auto& finding : result_.findings) last = std::max(last, finding.number.value_or(0));
    return last;
  }

  const CheckOptions& options_;
  const CommandLine& line_;
  std::unique_ptr<Subject> store_;
  CampaignPlan plan_;
  std::function<bool()> stop_ = is_interrupted;
  std::unique_ptr<WorkerPool> pool_ = pool_for(*store_, plan_.jobs, plan_.case_seconds, [&] { return stop_(); });
  Progress progress_;
  InProcess<ReferenceStore> reference_{"reference"};
  RandomSearch search_;
  Result result_ = new_result(line_, options_, *store_);
  CampaignReport campaign_;
};

Exit check(const CheckOptions& options, const CommandLine& line) {
  if (options.corpus) ensure_corpus("--corpus", *options.corpus);
  watch_for_interrupt();
  return Check(options, line).run();
}

}  // namespace

Command check_command() {
  return command("check", "Random cases through reference and engine, which must agree", declare, check);
}

}  // namespace mayfly::app
