#include <deque>
#include <iostream>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "chosen_store.hpp"
#include "command.hpp"
#include "mayfly/props/isolate.hpp"
#include "mayfly/props/property.hpp"
#include "mayfly/props/report/annotation.hpp"
#include "mayfly/props/report/ascii_timeline.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/report/page.hpp"
#include "mayfly/props/report/story_json.hpp"
#include "mayfly/props/report/storyteller.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/json.hpp"
#include "mayfly/sim/trace.hpp"
#include "output_file.hpp"
#include "real_time.hpp"
#include "violation.hpp"

namespace mayfly::app {

namespace {

// Laws run a case several times and look at every document after every step.
constexpr std::size_t longest_for_laws = 500;

// For one case of a trace.
constexpr double most_seconds = 60;

// What the steps of a trace ask of a store, so that a crew can ask it.
std::optional<Violation> take_steps(const Case& test_case, Subject& store) {
  Storyteller teller(test_case.start, store);
  bool have_parted = false;
  for (const auto& operation : test_case.operations)
    if (teller.take(operation).differs() && !std::exchange(have_parted, true)) teller.story();
  return std::nullopt;
}
constexpr Property steps_of_a_trace{"the steps of a trace can be taken", {}, take_steps};

/// Replays traces on reference and engine, and counts what is not as it should be.
class Replay {
 public:
  explicit Replay(const ReplayOptions& options)
      : options_(options),
        store_(chosen_store(options.target, options.timeout, Audit::every_operation, options.access)),
        crew_(crew_of(*store_, side_by_side, options.timeout, [] { return false; })) {
    show(introduction(*store_));
  }

  // Where time is real, all cases of all files wait side by side.
  void ask_ahead() {
    if (!crew_) return;
    std::vector<Question> questions;
    for (const auto& path : options_.files) {
      for (const auto& trace : read_ahead_.emplace_back(cases_in(path))) {
        const Case test_case = trace.without_expectations();
        if (test_case.operations.empty() || !can_run(store_->features(), test_case)) continue;
        questions.push_back({&steps_of_a_trace, test_case});
        if (test_case.operations.size() > longest_for_laws) continue;
        for (const Property& property : all_properties())
          if (is_for(*store_, property, test_case)) questions.push_back({&property, test_case});
      }
    }
    crew_->ask_ahead(questions);
  }

  void file(const std::string& path) {
    const auto cases = read_ahead_.empty() ? cases_in(path) : std::move(read_ahead_.front());
    if (!read_ahead_.empty()) read_ahead_.pop_front();
    ++files_;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      ++cases_;
      show(fmt::format("{}, case {} of {}\n", path, i + 1, cases.size()));
      one_case(path, cases[i]);
    }
  }

  Exit verdict() const {
    const std::string left_out = left_out_ > 0 ? fmt::format(", {} left out", with_commas(left_out_)) : "";
    const std::string summary =
        fmt::format("{}, {}{}, {}, {} wrong", counted(files_, "file"), counted(cases_, "case"), left_out,
                    counted(steps_, "step"), failures_ == 0 ? "nothing" : with_commas(failures_));
    fmt::print("{}: {}\n", failures_ == 0 ? "held" : "VIOLATED", summary);
    if (options_.html) write_whole(*options_.html, page(summary));
    return failures_ == 0 ? Exit::held : Exit::violation;
  }

 private:
  static std::vector<TraceCase> cases_in(const std::string& path) {
    return path == "-" ? read_trace(std::cin, path) : read_trace_file(path);
  }

  void one_case(const std::string& path, const TraceCase& trace) {
    const Case test_case = trace.without_expectations();
    if (!can_run(store_->features(), test_case)) {
      ++left_out_;
      return fmt::print("{}: left out, for it needs what the {} lacks\n", path, store_->name());
    }
    if (crashes(path, test_case)) return;
    try {
      if (crew_ && !test_case.operations.empty()) {
        Playback answers(*store_->remote(), *crew_->answers_to(steps_of_a_trace, test_case));
        steps(path, trace, answers);
      } else {
        steps(path, trace, *store_);
      }
    } catch (const StoreFailure& failure) {
      return tell_crash(path, test_case, failure.what());
    }
    properties(path, test_case);
  }

  void show(const std::string& text) const {
    if (!options_.quiet) fmt::print("{}", text);
  }

  void fail(const std::string& text, const SourcePlace& place) {
    ++failures_;
    fmt::print("{}{}", text, annotation_if_wanted("mayfly replay", text, place));
  }

  void fail(const SourcePlace& place, std::string_view property, const Story& story, const std::string& text) {
    fail(text, place);
    violations_.push_back({{"store", story.store},
                           {"property", property},
                           {"rules", ids_of(story.steps.back().rules)},
                           {"told", text},
                           {"file", place.file},
                           {"replay", replay_command(options_.program, place.file, options_.target.value_or(""),
                                                     access_options(options_.access))},
                           {"story", story_json(story)}});
  }

  std::string page(const std::string& summary) const {
    return html_page({{"title", fmt::format("Mayfly replay of {}", fmt::join(options_.files, ", "))},
                      {"verdict", failures_ == 0 ? "held" : "violated"},
                      {"summary", summary},
                      {"violations", violations_}});
  }

  // Tried elsewhere first: a store that crashes or hangs takes nobody along.
  std::string crash_of(const Case& test_case) {
    const auto first_crash = [&] {
      for (const Property& property : properties_for(test_case))
        if (const auto violation = check(property, test_case, *store_))
          if (!violation->crash.empty()) return violation->crash;
      return std::string();
    };
    if (store_->remote()) return first_crash();
    return isolate([&] { return first_crash().empty() ? 0 : 1; }, most_seconds).crash;
  }

  static std::span<const Property> properties_for(const Case& test_case) {
    const bool with_laws = test_case.operations.size() <= longest_for_laws;
    return all_properties().first(with_laws ? all_properties().size() : 1);
  }

  // Of a crew nobody is taken along, and the steps show it.
  bool crashes(const std::string& path, const Case& test_case) {
    if (test_case.operations.empty() || crew_) return false;
    const std::string crash = crash_of(test_case);
    if (crash.empty()) return false;
    tell_crash(path, test_case, crash);
    return true;
  }

  void tell_crash(const std::string& path, const Case& test_case, const std::string& crash) {
    if (test_case.operations.empty()) return fail(fmt::format("{}: the {} {}\n", path, store_->name(), crash), {path});
    const Failure failure{
        &agrees_unwatched(), test_case, {test_case.operations.size() - 1, test_case.operations.back(), {}, crash}};
    const Story story = tell_story(failure, *store_);
    fail({path}, failure.property->name, story, fmt::format("{}:\n{}", path, full_text(story)));
  }

  void steps(const std::string& path, const TraceCase& trace, Subject& store) {
    Storyteller teller(trace.start, store);
    bool have_parted = false;
    for (const auto& step : trace.steps) {
      ++steps_;
      const StoryStep taken = teller.take(step.operation);
      const std::string text = narrate(taken, store_->name());
      if (!taken.differs())
        show(text);
      else if (std::exchange(have_parted, true))
        fail(fmt::format("{}:{}:\n{}", path, step.line, text), {path, step.line});
      else
        part({path, step.line}, text, teller.story());
      check_expectation(path, step, "reference", taken.exchange.expected.answer);
      check_expectation(path, step, store_->name(), taken.exchange.actual);
    }
  }

  /// Where they part for the first time there is more to say.
  void part(const SourcePlace& place, const std::string& text, const Story& story) {
    fail(place, agrees_unwatched().name, story,
         fmt::format("{}:{}:\n{}{}\n{}\n\n{}\n", place.file, place.line, text, narrate_documents(story),
                     folded(gist(story), 0), ascii_timeline(story)));
  }

  void check_expectation(const std::string& path, const TraceStep& step, std::string_view store,
                         const Outcome& answer) {
    if (!step.expect || step.expect->is_met_by(answer)) return;
    fail(fmt::format("{}:{}: expected {}\n{:>{}} answered {}\n", path, step.line, to_line(step.expect->json()), store,
                     fmt::formatted_size("{}:{}: expected", path, step.line) - 9, to_line(to_json(answer))),
         {path, step.line});
  }

  // What the steps do not show: what somebody sees who looks at everything, and the laws. On a store that has shown a
  // wrong answer already they would only say so again.
  void properties(const std::string& path, const Case& test_case) {
    if (failures_ > 0) return;
    if (test_case.operations.size() > longest_for_laws) {
      show(fmt::format("(no laws: the case has more than {} operations)\n", longest_for_laws));
      return;
    }
    for (const Property& property : all_properties())
      for (Subject* subject : {store_.get(), static_cast<Subject*>(&reference_)})
        if (auto violation = violation_of(property, test_case, *subject)) {
          const Failure failure{&property, test_case, std::move(*violation)};
          const Story story = tell_story(failure, *subject);
          fail({path}, property.name, story,
               fmt::format("{}: the {} breaks \"{}\"\n{}", path, subject->name(), property.name, full_text(story)));
          return;
        }
  }

  std::optional<Violation> violation_of(const Property& property, const Case& test_case, Subject& subject) {
    return crew_ && &subject == store_.get() ? crew_->ask(property, test_case) : check(property, test_case, subject);
  }

  const ReplayOptions& options_;
  std::unique_ptr<Subject> store_;
  std::unique_ptr<Crew> crew_;
  std::deque<std::vector<TraceCase>> read_ahead_;  ///< the files whose turn is still to come
  InProcess<ReferenceStore> reference_{"reference"};
  boost::json::array violations_;
  std::size_t files_ = 0;
  std::size_t cases_ = 0;
  std::size_t steps_ = 0;
  std::size_t failures_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace

Exit replay(const ReplayOptions& options) {
  if (options.html) ensure_writable("--html", *options.html);
  Replay replay(options);
  replay.ask_ahead();
  for (const auto& path : options.files) replay.file(path);
  return replay.verdict();
}

}  // namespace mayfly::app
