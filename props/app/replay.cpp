#include <iostream>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "chosen_store.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "mayfly/props/property/check.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/property/property.hpp"
#include "mayfly/props/property/runner.hpp"
#include "mayfly/props/report/annotation.hpp"
#include "mayfly/props/report/ascii_timeline.hpp"
#include "mayfly/props/report/fold.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/report/story_json.hpp"
#include "mayfly/props/report/storyteller.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/props/run/isolate.hpp"
#include "mayfly/sim/json.hpp"
#include "mayfly/sim/stopwatch.hpp"
#include "mayfly/sim/trace.hpp"
#include "real_time.hpp"
#include "report.hpp"
#include "shown_failure.hpp"

namespace mayfly::app {

namespace {

struct ReplayOptions : StoreOptions {
  std::vector<std::string> files;
  ReportOptions reports;
};

void declare(CommandLine& line, ReplayOptions& options) {
  line.arguments("FILE", options.files, "Trace files, in JSON Lines; - is standard input");
  line.require("FILE");
  declare_store(line, options);
  declare_reports(line, options.reports, "Print only the verdict and what is wrong");
}

// Longer cases are not checked by laws, which run a case several times and observe everything after every step.
constexpr std::size_t longest_for_laws = 500;

// For one case.
constexpr double most_seconds = 60;

/// Runs traces on the reference and the store, and counts what is wrong.
class Replay {
 public:
  Replay(const ReplayOptions& options, const CommandLine& line, const std::vector<std::vector<TraceCase>>& traces)
      : options_(options),
        line_(line),
        traces_(traces),
        store_(chosen_store(options, Audit::every_operation)),
        pool_(pool_for(*store_, parallel_cases, options.timeout, is_interrupted)) {
    show(introduction(*store_));
  }

  // In real time, all cases of all files run in parallel. A case without a violation is shown with the answers of the
  // reference, so that only the failed ones have to run again.
  void run_in_parallel() {
    if (!pool_) return;
    std::vector<Question> questions;
    for (const auto& cases : traces_)
      for (const auto& trace : cases) {
        const Case test_case = trace.without_expectations();
        for (const Property& property : properties_for(test_case))
          if (!test_case.steps.empty() && is_for(*store_, property, test_case))
            questions.push_back({&property, test_case});
      }
    std::size_t answered = 0;
    for (auto next = questions.begin(); next != questions.end();) {
      auto failure = pool_
                         ->first_failure([&]() -> std::optional<Question> {
                           return next == questions.end() ? std::nullopt : std::optional(*next++);
                         })
                         .failure;
      stop_if_interrupted();
      if (!failure) return;
      answered += failure->index + 1;
      next = questions.begin() + static_cast<std::ptrdiff_t>(answered);
      failed_.push_back(std::move(*failure));
    }
  }

  // The steps of all cases of a file run before any property: a case may need those before it, and properties run a
  // case many times.
  void file(const std::string& path, const std::vector<TraceCase>& cases) {
    ++files_;
    std::vector<std::pair<std::size_t, Case>> survived;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      trace_ = cases_++;
      result_.traces.push_back({.name = cases.size() == 1 ? path : fmt::format("{}, case {}", path, i + 1)});
      show(fmt::format("{}, case {} of {}\n", path, i + 1, cases.size()));
      if (takes_steps(path, cases[i])) survived.emplace_back(trace_, cases[i].without_expectations());
    }
    for (const auto& [trace, test_case] : survived) {
      trace_ = trace;
      properties(path, test_case);
    }
  }

  Exit verdict() {
    const std::string untested = not_tested_ > 0 ? fmt::format(", {} not tested", with_commas(not_tested_)) : "";
    result_.cases = cases_;
    result_.details = {{"files", files_}, {"steps", steps_}, {"wrong", failures_}};
    result_.title = fmt::format("Mayfly replay of {}", fmt::join(options_.files, ", "));
    result_.claim = "every trace is answered as it should be";
    result_.end = failures_ == 0 ? Result::End::held : Result::End::violated;
    result_.verdict = failures_ == 0 ? "held" : "violated";
    result_.headline = failures_ == 0 ? "held" : "VIOLATED";
    result_.summary = fmt::format("{}, {}{}, {}, {} wrong", counted(files_, "file"), counted(cases_, "case"), untested,
                                  counted(steps_, "step"), failures_ == 0 ? "nothing" : with_commas(failures_));
    fmt::print("{}: {}\n", result_.headline, result_.summary);
    return write_reports(result_, options_.reports, true);
  }

 private:
  /// False if the store cannot run the case, or did not survive it.
  bool takes_steps(const std::string& path, const TraceCase& trace) {
    const Case test_case = trace.without_expectations();
    if (!can_run(store_->features(), test_case)) {
      ++not_tested_;
      result_.traces[trace_].is_untested = true;
      const bool fits = is_within(store_->features().limits, test_case);
      fmt::print("{}: not tested, it {} the {} {}\n", path, fits ? "needs features that" : "is beyond the limits that",
                 store_->name(), fits ? "lacks" : "states");
      return false;
    }
    if (crashes(path, test_case)) return false;
    try {
      const bool is_known_to_agree = pool_ && !violation_in_parallel(agrees_unwatched(), test_case);
      InProcess<ReferenceStore> alike(store_->name());
      steps(path, trace, is_known_to_agree ? alike : *store_);
    } catch (const StoreFailure& failure) {
      stop_if_interrupted();
      report_crash(path, test_case, failure.what());
      return false;
    }
    return true;
  }

  void show(const std::string& text) const {
    if (!options_.reports.quiet) fmt::print("{}", text);
  }

  /// Prints what is wrong. It becomes a finding if it has a story, or the trace has no finding yet.
  void fail(const SourcePlace& place, std::string_view property, const std::string& text,
            const Story* story = nullptr) {
    show_steps();
    ++failures_;
    fmt::print("{}{}", text, annotation_if_wanted("mayfly replay", text, place));
    ReportedTrace& trace = result_.traces[trace_];
    if (trace.finding && !story) return;
    if (!trace.finding) trace.finding = result_.findings.size();
    trace.is_met = false;
    trace.is_red = true;
    ReportedFinding finding{
        .store = store_->name(), .property = std::string(property), .text = text, .file = place.file};
    finding.headline = story ? gist(*story) : text.substr(0, text.find('\n'));
    if (story) {
      finding.store = story->store;
      finding.deciding = story->steps.back().rules;
      finding.story = story_json(*story);
    }
    result_.findings.push_back(std::move(finding));
  }

  // Runs the case in a process of its own first, which may crash or hang without affecting this one. A store in another
  // process needs no such precaution: its crash shows in the steps.
  bool crashes(const std::string& path, const Case& test_case) {
    if (test_case.steps.empty() || store_->remote()) return false;
    const auto run_all = [&] {
      for (const Property& property : properties_for(test_case)) check(property, test_case, *store_);
      return 0;
    };
    const Stopwatch watch;
    const auto has_timed_out = [&] { return watch.seconds() > most_seconds || is_interrupted(); };
    const std::string crash = isolate(run_all, has_timed_out, timeout_text(most_seconds)).crash;
    stop_if_interrupted();
    if (!crash.empty()) report_crash(path, test_case, crash);
    return !crash.empty();
  }

  static std::span<const Property> properties_for(const Case& test_case) {
    const bool with_laws = test_case.steps.size() <= longest_for_laws;
    return all_properties().first(with_laws ? all_properties().size() : 1);
  }

  void report_crash(const std::string& path, const Case& test_case, const std::string& crash) {
    if (test_case.steps.empty())
      return fail({path}, agrees_unwatched().name, fmt::format("{}: the {} {}\n", path, store_->name(), crash));
    const Failure failure{
        &agrees_unwatched(), test_case, {test_case.steps.size() - 1, test_case.steps.back().operation, {}, crash}};
    const Story story = tell_story(failure, *store_);
    fail({path}, failure.property->name, fmt::format("{}:\n{}", path, full_text(story)), &story);
  }

  void steps(const std::string& path, const TraceCase& trace, Subject& store) {
    Storyteller teller(trace.start, store);
    bool has_differed = false;
    for (const auto& step : trace.steps) {
      stop_if_interrupted();
      ++steps_;
      const StoryStep taken = teller.take(step.operation);
      if (!taken.differs())
        show_later(taken);
      else if (std::exchange(has_differed, true))
        fail({path, step.line}, agrees_unwatched().name,
             fmt::format("{}:{}:\n{}", path, step.line, narrate(taken, store_->name())));
      else
        first_difference({path, step.line}, narrate(taken, store_->name()), teller.story());
      check_expectation(path, step, "reference", taken.exchange.expected.answer);
      check_expectation(path, step, store_->name(), taken.exchange.actual);
    }
    show_steps();
  }

  // The last steps wait for those that may become part of them.
  void show_later(const StoryStep& step) {
    if (options_.reports.quiet) return;
    add_folded(unshown_, step);
    show_steps(most_unfolded);
  }

  /// All of them but the last ones.
  void show_steps(std::size_t but = 0) {
    for (; unshown_.size() > but; unshown_.erase(unshown_.begin())) show(narrate(unshown_.front(), store_->name()));
  }

  /// The first difference is shown with the documents, the gist and the drawing.
  void first_difference(const SourcePlace& place, const std::string& text, const Story& story) {
    fail(place, agrees_unwatched().name,
         fmt::format("{}:{}:\n{}{}\n{}\n\n{}\n", place.file, place.line, text, narrate_documents(story),
                     folded(gist(story), 0), ascii_timeline(story)),
         &story);
  }

  void check_expectation(const std::string& path, const TraceStep& step, std::string_view store,
                         const Outcome& answer) {
    if (!step.expect || step.expect->is_met_by(answer)) return;
    fail({path, step.line}, "the trace is answered as it expects",
         fmt::format("{}:{}: expected {}\n{:>{}} answered {}\n", path, step.line, to_line(step.expect->json()), store,
                     fmt::formatted_size("{}:{}: expected", path, step.line) - 9, to_line(to_json(answer))));
  }

  // Checks what the steps do not show: observations of every document, and the laws. After a wrong answer they would
  // only fail again.
  void properties(const std::string& path, const Case& test_case) {
    if (failures_ > 0) return;
    if (test_case.steps.size() > longest_for_laws) {
      show(fmt::format("(no laws: the case has more than {} operations)\n", longest_for_laws));
      return;
    }
    for (const Property& property : all_properties())
      for (Subject* subject : {store_.get(), static_cast<Subject*>(&reference_)})
        if (auto violation = violation_of(property, test_case, *subject)) {
          const Failure failure{&property, test_case, std::move(*violation)};
          const ShownFailure shown = show_failure(failure, *subject);
          fail({path}, property.name,
               fmt::format("{}: the {} breaks \"{}\"\n{}{}", path, subject->name(), property.name, shown.batch,
                           full_text(shown.story)),
               &shown.story);
          return;
        }
  }

  std::optional<Violation> violation_of(const Property& property, const Case& test_case, Subject& subject) {
    auto violation = pool_ && &subject == store_.get() ? violation_in_parallel(property, test_case)
                                                       : check(property, test_case, subject);
    stop_if_interrupted();
    return violation;
  }

  std::optional<Violation> violation_in_parallel(const Property& property, const Case& test_case) const {
    for (const auto& [index, question, violation] : failed_)
      if (question.property == &property && question.test_case == test_case) return violation;
    return std::nullopt;
  }

  const ReplayOptions& options_;
  const CommandLine& line_;
  const std::vector<std::vector<TraceCase>>& traces_;  ///< of each file
  std::unique_ptr<Subject> store_;
  std::unique_ptr<WorkerPool> pool_;
  std::vector<FailedQuestion> failed_;  ///< of the parallel runs
  std::vector<StoryStep> unshown_;
  InProcess<ReferenceStore> reference_{"reference"};
  Result result_ = new_result(line_, options_, *store_);
  std::size_t trace_ = 0;  ///< the current one, by its place in the result
  std::size_t files_ = 0;
  std::size_t cases_ = 0;
  std::size_t steps_ = 0;
  std::size_t failures_ = 0;
  std::size_t not_tested_ = 0;
};

Exit replay(const ReplayOptions& options, const CommandLine& line) {
  std::vector<std::vector<TraceCase>> traces;
  for (const auto& path : options.files)
    traces.push_back(path == "-" ? read_trace(std::cin, path) : read_trace_file(path));
  watch_for_interrupt();
  Replay replay(options, line, traces);
  replay.run_in_parallel();
  for (std::size_t i = 0; i < traces.size(); ++i) replay.file(options.files[i], traces[i]);
  return replay.verdict();
}

}  // namespace

Command replay_command() {
  return command("replay", "Runs traces step by step, and checks every answer", declare, replay);
}

}  // namespace mayfly::app
