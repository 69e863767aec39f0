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
#include "corpus.hpp"
#include "interrupt.hpp"
#include "mayfly/props/conformance/conformance.hpp"
#include "mayfly/props/property/exercise.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/report/campaign_result.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/report/progress.hpp"
#include "mayfly/props/report/result_text.hpp"
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

namespace mayfly::app {

namespace {

struct CheckOptions : StoreOptions {
  std::optional<std::string> seed;
  std::optional<std::uint64_t> cases;
  std::optional<double> seconds;
  std::uint64_t longest_case = World{}.longest_case;
  std::optional<std::uint64_t> jobs;
  std::optional<std::string> shard;
  bool keep_going = false;
  std::optional<std::string> corpus;
  bool no_canary = false;
  std::optional<std::string> save;
  ReportOptions reports;
};

void declare(CommandLine& line, CheckOptions& options) {
  line.text("--seed", options.seed, "SEED", "A number or a commit id (default: a random one)");
  line.number("--cases", options.cases, 1, 1'000'000'000'000, "How many cases");
  line.time("--time", options.seconds, "For how long, such as 5m (default: 10s, or as --cases takes)");
  line.number("--ops", options.longest_case, 1, 100'000, "The longest case, in operations; most have up to 100");
  line.number("--jobs", options.jobs, 1, 1'000, "How many processes (default: one for each core)");
  line.text("--shard", options.shard, "I/N", "Part I of N, I from 0 (default: as the environment says)");
  line.flag("--keep-going", options.keep_going, "Go on after a violation; each defect is reported once");
  line.text("--corpus", options.corpus, "DIR", "Replay the traces there first, and save new ones there");
  line.flag("--no-canary", options.no_canary, "Skip the self-test that looks for a planted defect");
  declare_store(line, options);
  declare_reports(line, options.reports, "Only the verdict, and a violation");
  line.output_file("--save", options.save, "Where the trace goes (default: mayfly-violation.jsonl)");
}

constexpr double most_seconds_of_shrinking = 20;
constexpr double most_seconds_of_shrinking_in_real_time = 60;
constexpr std::size_t most_cases_before = 100;  // that a failure may depend on
constexpr std::uint64_t most_cases_alone = 10;
constexpr double most_seconds_alone = 1;

// What a run of fewer cases says is an accident, unless fewer were asked for. In real time cases take seconds.
constexpr std::uint64_t least_cases = 100;
constexpr std::uint64_t least_cases_in_real_time = 20;

Shard parse_shard(std::string_view where, const std::string& text) {
  const auto slash = text.find('/');
  const auto index = parse_number(std::string_view(text).substr(0, slash));
  const auto count = slash == std::string::npos ? std::nullopt : parse_number(std::string_view(text).substr(slash + 1));
  if (index && count && *index < *count && *count <= 1'000'000) return {*index, *count};
  throw InputError(fmt::format("{} must be I/N with I from 0 to N-1, got \"{}\"", where, text));
}

/// The variables by which a test runner or a batch system tells a job which of how many it is.
struct ShardVariables {
  const char* index;
  const char* count;
  const char* first;  ///< what the index counts from, if not from 0
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

/// Those that are set, if any are.
const ShardVariables* set_shard_variables() {
  for (const auto& variables : shard_variables)
    if (!environment(variables.index).empty() || !environment(variables.count).empty()) return &variables;
  return nullptr;
}

Shard shard_of(const ShardVariables& variables) {
  const auto& [index, count, first] = variables;
  const std::string place = environment(index), total = environment(count);
  if (place.empty() || total.empty())
    throw InputError(fmt::format("{} is set and {} is not: set both, or say --shard I/N", total.empty() ? index : count,
                                 total.empty() ? count : index));
  const auto number = parse_number(place);
  const auto from_zero = number ? std::to_string(*number - parse_number(environment(first)).value_or(0)) : place;
  return parse_shard(index, from_zero + "/" + total);
}

// Two runs that each draw their own seed are not parts of one campaign.
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

/// A part that the command line does not name would otherwise be taken for the whole.
void say_the_shard_of_the_environment(const Shard& shard) {
  if (const auto* variables = set_shard_variables())
    fmt::print("shard {}/{}, as {} and {} say\n", shard.index, shard.count, variables->index, variables->count);
}

std::string settings_of(const CheckOptions& options) {
  std::string settings;
  if (options.cases) settings += fmt::format(" --cases {}", *options.cases);
  if (options.seconds) settings += fmt::format(" --time {:g}s", *options.seconds);
  if (options.longest_case != World{}.longest_case) settings += fmt::format(" --ops {}", options.longest_case);
  if (options.keep_going) settings += " --keep-going";
  return settings;
}

void fit_to_its_time(CampaignPlan& plan, const CheckOptions& options, const Subject& store, RemoteSubject::Time time) {
  plan.world.longest_step = store.features().longest_step.count();
  if (time == RemoteSubject::Time::shared) {
    if (plan.jobs > 1 && options.jobs) throw InputError("--jobs: the target has one clock, which only one can move");
    plan.jobs = 1;
  }
  if (time == RemoteSubject::Time::real) {
    plan.jobs = static_cast<unsigned>(options.jobs.value_or(side_by_side));
    plan.world.longest_case = std::min(plan.world.longest_case, longest_case_in_real_time);
  }
}

CampaignPlan plan_of(const CheckOptions& options, Subject& store) {
  CampaignPlan plan;
  plan.seed = options.seed ? parse_seed(*options.seed) : std::random_device{}();
  plan.world.longest_case = options.longest_case;
  plan.shard = shard_of(options);
  const auto cores = static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  plan.jobs = static_cast<unsigned>(options.jobs.value_or(cores));
  plan.cases = options.cases.value_or(plan.cases);
  plan.most_seconds = options.seconds.value_or(options.cases ? 1e9 : 10);
  if (options.seconds) plan.longest_wait = *options.seconds;
  plan.case_seconds = options.timeout;
  plan.keep_going = options.keep_going;
  if (const auto* remote = store.remote()) fit_to_its_time(plan, options, store, remote->time());
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
        search_(plan_.seed, plan_.world, *store_, beside()) {}

  Exit run() {
    if (!options_.shard) say_the_shard_of_the_environment(plan_.shard);
    if (pool_ && !options_.reports.quiet) say_that_time_is_real(*store_, plan_.jobs);
    begin_result();
    if (!options_.no_canary) search_canary();
    if (options_.corpus) replay_corpus();
    if (store_->remote() && store_->features().batch && !pool_) search_alone();
    if (is_interrupted())
      result_.was_interrupted = true;
    else if (result_.findings.empty() || options_.keep_going)
      search();
    return report();
  }

 private:
  // Laws judge the reference too, unless the store under test is a target.
  Subject* beside() { return store_->remote() ? nullptr : &reference_; }

  void begin_result() {
    result_.seed = plan_.seed;
    campaign_.settings = settings_of(options_);
    campaign_.shard_count = plan_.shard.count;
    campaign_.shards = {plan_.shard.index};
    campaign_.least_cases = std::min(plan_.cases, pool_ ? least_cases_in_real_time : least_cases);
    campaign_.hidden = hidden_by(*store_);
  }

  // A run that cannot find a known defect proves nothing by finding none. Always in cases of the usual length: a short
  // one may have no room for it.
  void search_canary() {
    const auto canary = canary_store(canary_of(plan_.seed));
    const bool is_caught = random_search(*canary, plan_.seed, most_operations_of_canary).failure.has_value();
    campaign_.canary = is_caught ? "caught" : "survived";
  }

  // What was found before is looked for first: these are values, and stay so whatever becomes of the generator.
  void replay_corpus() {
    const auto corpus = read_corpus(*options_.corpus);
    for (const auto& [name, file, trace] : corpus) {
      if (is_interrupted()) break;
      auto finding = replay_properties(trace.without_expectations());
      if (!finding) finding = replay_expectations(file, trace);
      result_.traces.push_back({.name = name, .is_met = !finding, .is_red = finding.has_value(), .finding = finding});
    }
  }

  /// The place of what was found, if one of them is broken.
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
    return found_failure({failure->question.property, test_case, std::move(failure->violation)}, *store_, std::nullopt);
  }

  /// The same if an answer is not as the trace expects it.
  std::optional<std::size_t> replay_expectations(const std::string& file, const TraceCase& trace) {
    const bool expects = std::any_of(trace.steps.begin(), trace.steps.end(),
                                     [](const TraceStep& step) { return step.expect.has_value(); });
    if (!expects || !can_run(store_->features(), trace.without_expectations())) return std::nullopt;
    try {
      store_->reset(trace.start);
      for (const auto& step : trace.steps) {
        const Outcome answer = store_->apply(step.operation);
        if (!step.expect || step.expect->is_met_by(answer)) continue;
        return found_unmet(trace, fmt::format("{}:{}: expected {}\n{} answered {}", file, step.line,
                                              to_line(step.expect->json()), store_->name(), to_line(to_json(answer))));
      }
    } catch (const StoreFailure& failure) {  // which it did not show a moment ago
      if (is_interrupted()) return std::nullopt;
      return found_unmet(trace, fmt::format("{}: the {} {}", file, store_->name(), failure.what()));
    }
    return std::nullopt;
  }

  std::size_t found_unmet(const TraceCase& trace, const std::string& how) {
    return add_unshown(trace_text(trace), "a trace of the corpus is answered as it expects", how, std::nullopt);
  }

  /// A finding of which there is nothing to show step by step.
  std::size_t add_unshown(std::string trace, std::string property, const std::string& how,
                          std::optional<std::uint64_t> number) {
    ReportedFinding finding{.store = store_->name(), .property = std::move(property), .trace = std::move(trace)};
    finding.headline = fmt::format("the {} breaks \"{}\"", finding.store, finding.property);
    finding.intro = fmt::format("VIOLATION: {}\n{}\n", finding.headline, how);
    finding.number = number;
    return add(result_.findings, std::move(finding));
  }

  // Cases are asked in batches. Some are asked request by request as well, which a store may answer otherwise.
  void search_alone() {
    const Stopwatch watch;
    const auto is_over = [&] { return is_interrupted() || watch.seconds() > most_seconds_alone; };
    const Runner alone([&](const Property& property, const Case& test_case) {
      AskedOneByOne target(*store_->remote());
      return check(property, test_case, target);
    });
    for (std::uint64_t number = 0; number < most_cases_alone && number < plan_.cases && !is_over(); ++number) {
      const Case test_case = search_.case_of(number);
      store_->remote()->cancel_when(is_over);
      auto violation = alone(agrees_unwatched(), test_case);
      const bool only_alone = violation && !is_over() && !check(agrees_unwatched(), test_case, *store_);
      store_->remote()->cancel_when({});
      if (!only_alone) continue;
      const auto stop = [&] { return is_interrupted() || watch.seconds() > most_seconds_of_shrinking; };
      Failure failure{&agrees_unwatched(), test_case, std::move(*violation)};
      const Minimised minimised = minimise(std::move(failure), alone, stop);
      add_finding({{}, minimised.failure}, *store_, shrunk_text(test_case.steps.size(), minimised, number), number);
      return;
    }
  }

  void search() {
    const auto observer = [&](const CampaignResult& so_far) {
      if (progress_.is_due(so_far.seconds)) progress_.show(so_far.seconds, progress_line(so_far));
      return is_interrupted();
    };
    const CampaignResult found = run_campaign(plan_, *store_, beside(), observer);
    progress_.clear();
    campaign_.tally = found.tally;
    campaign_.laws = found.laws;
    campaign_.answered = found.answered;
    campaign_.seconds = found.seconds;
    campaign_.digest = found.digest;
    result_.cases = found.cases;
    result_.was_interrupted = found.was_interrupted;
    if (options_.keep_going) result_.not_investigated = found.unreported;
    for (const auto& failed : found.failed_cases) {
      found_failed_case(failed);
      if (!options_.keep_going || is_interrupted()) break;  // the lowest number: the same with any number of workers
    }
  }

  void found_failed_case(const FailedCase& failed) {
    auto reproduced = reproduce(failed, search_, plan_.case_seconds, is_interrupted);
    const bool may_be_cancelled = is_interrupted() && (!reproduced || !reproduced->failure.violation.crash.empty());
    if (reproduced && !may_be_cancelled)
      found_failure(std::move(reproduced->failure), *reproduced->subject, failed.number);
    else if (may_be_cancelled || !found_after_others(failed))
      found_once(failed, may_be_cancelled ? "and was not run again, because of the interrupt"
                                          : "but not when it was run again on its own");
  }

  // A case that fails once and not again: the store depends on more than what it is asked.
  void found_once(const FailedCase& failed, std::string_view but) {
    const auto how =
        fmt::format("case {} {}, {}", failed.number, failed.crash.empty() ? "failed after others" : failed.crash, but);
    add_unshown(trace_text(search_.case_of(failed.number)), std::string(all_properties().back().name), how,
                failed.number);
  }

  /// Whether the case fails in a fresh process of the target, after those that its worker ran before it.
  bool found_after_others(const FailedCase& failed) {
    RemoteSubject* remote = store_->remote();
    if (!remote || pool_) return false;
    const Failure failure{search_.tasks_of(failed.number).front().property, search_.case_of(failed.number), {}};
    const FreshFailure fresh = fail_afresh(failure, {}, cases_before(failed.number), *remote, stop_within_seconds());
    const bool has_failed = fresh.failure.property && !fresh.passes;
    if (has_failed && !is_interrupted())
      add_finding(fresh, *store_, fmt::format("found in case {}\n\n", failed.number), failed.number);
    return has_failed;
  }

  /// What the worker had run in the same process of the store, the last of it.
  std::vector<Case> cases_before(std::optional<std::uint64_t> number) const {
    std::vector<Case> cases;
    const std::uint64_t stride = plan_.shard.count * plan_.jobs;
    for (std::uint64_t n = number.value_or(0); n >= stride && cases.size() < most_cases_before; n -= stride)
      cases.push_back(search_.case_of(n - stride));
    std::reverse(cases.begin(), cases.end());
    return cases;
  }

  /// True after the time that shrinking may take, from now on.
  std::function<bool()> stop_within_seconds() {
    const double most_seconds = pool_ ? most_seconds_of_shrinking_in_real_time : most_seconds_of_shrinking;
    return [=, watch = Stopwatch()] { return is_interrupted() || watch.seconds() > most_seconds; };
  }

  /// `number` is that of the case; a case of the corpus has none. The place of what was found.
  std::size_t found_failure(Failure failure, Subject& subject, std::optional<std::uint64_t> number) {
    const std::size_t before = failure.test_case.steps.size();
    if (!options_.reports.quiet)
      fmt::print(stderr, "violation in {}, of {}; shrinking\n", place_of(number), counted(before, "operation"));
    stop_ = stop_within_seconds();
    Minimised minimised = minimise_isolated(failure, subject, plan_.case_seconds, stop_, pool_.get());
    stop_ = is_interrupted;
    if (pool_) subject.remote()->cancel_when(stop_);
    const FreshFailure fresh = afresh(failure, minimised.failure, subject, number);
    minimised.failure = fresh.failure;
    return add_finding(fresh, subject, shrunk_text(before, minimised, number), number);
  }

  static std::string place_of(std::optional<std::uint64_t> number) {
    return number ? fmt::format("case {}", *number) : "the corpus";
  }

  static std::string shrunk_text(std::size_t before, const Minimised& minimised, std::optional<std::uint64_t> number) {
    return fmt::format("shrunk from {} to {} in {}{} [{}]\n\n", before,
                       counted(minimised.failure.test_case.steps.size(), "operation"), counted(minimised.runs, "run"),
                       minimised.is_minimal ? "" : ", stopped early", place_of(number));
  }

  // What a target kept of earlier cases may be part of a failure, and of every run while it was shrunk.
  FreshFailure afresh(const Failure& original, const Failure& smallest, Subject& subject,
                      std::optional<std::uint64_t> number) {
    FreshFailure fresh{{}, smallest};
    RemoteSubject* remote = subject.remote();
    if (!remote || pool_ || is_interrupted()) return fresh;
    remote->set_timeout(plan_.case_seconds);
    return fail_afresh(original, smallest, cases_before(number), *remote, stop_within_seconds());
  }

  std::size_t add_finding(const FreshFailure& fresh, Subject& subject, const std::string& how,
                          std::optional<std::uint64_t> number) {
    const Failure& failure = fresh.failure;
    if (subject.remote() && !pool_ && !is_interrupted()) prepare(fresh, *subject.remote());
    const auto [story, batch] = show_failure(failure, subject);
    ReportedFinding finding = reported(failure, subject.name());
    finding.intro = fmt::format("VIOLATION: {}\n{}{}{}", finding.headline, how, dependence_text(fresh), batch);
    finding.trace = trace_text(fresh);
    finding.text = text_of(story, finding.trace);
    finding.rule = likely_rule(failure, subject);
    if (finding.rule) finding.headline = fmt::format("{}: {}", id_of(*finding.rule), finding.headline);
    finding.number = number;
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
    return fmt::format("{} cases  {} operations  {:.2f} M/s  {}", with_commas(so_far.cases), with_commas(operations),
                       static_cast<double>(operations) / so_far.seconds / 1e6, left);
  }

  Exit report() {
    result_.campaign = campaign_;
    result_.repeat = repeat_command();
    conclude_campaign(result_);
    const bool is_saved = save_traces(result_.findings, options_.save, options_.corpus);
    if (!options_.reports.quiet && result_.cases > 0) fmt::print("{}", introduction(*store_));
    fmt::print("{}{}", result_text(result_, options_.reports.quiet), annotations_of(result_));
    fmt::print("seed {}; repeat with: {}\n", plan_.seed, result_.repeat);
    return write_reports(result_, options_.reports, is_saved);
  }

  // Without --cases the time ended the run, which does not end another one at the same case.
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
  if (options.corpus) ensure_corpus(*options.corpus);
  watch_for_interrupt();
  return Check(options, line).run();
}

}  // namespace

Command check_command() {
  return command("check", "Random cases through reference and engine, which must agree", declare, check);
}

}  // namespace mayfly::app
