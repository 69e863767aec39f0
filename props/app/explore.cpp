#include <algorithm>
#include <cstdio>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "chosen_store.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "mayfly/props/explore/isolated_search.hpp"
#include "mayfly/props/explore/remote_search.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/report/progress.hpp"
#include "mayfly/props/report/story_json.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/stopwatch.hpp"
#include "mayfly/sim/trace.hpp"
#include "report.hpp"
#include "seed.hpp"
#include "under_test.hpp"

namespace mayfly::app {

namespace {

struct ExploreOptions : StoreOptions {
  std::uint64_t documents = 2;
  std::uint64_t collections = 1;
  std::vector<std::string> ttls{"absent", "-1", "1", "2"};
  std::vector<std::string> defaults{"off", "-1", "1", "2"};
  std::vector<std::string> steps{"1", "2"};
  bool lazy = false;
  std::optional<std::uint64_t> depth;
  std::optional<double> seconds;
  std::uint64_t memory = std::uint64_t{2} << 30;
  std::optional<std::string> save;
  ReportOptions reports;
};

void declare(CommandLine& line, ExploreOptions& options) {
  line.number("--documents", options.documents, 1, 8, "Documents in each collection (1 to 8)");
  line.number("--collections", options.collections, 1, 4, "Collections (1 to 4)");
  line.list("--ttls", options.ttls, "The ttls of documents");
  line.list("--defaults", options.defaults, "The defaults of collections");
  line.list("--steps", options.steps, "The steps of the clock, in seconds");
  line.flag("--lazy", options.lazy, "Also lazy collections, and requests to their index");
  line.number("--depth", options.depth, 1, greatest_depth, "Longest sequence (default: until no state is new)");
  line.time("--time", options.seconds, "At most this long, such as 30s or 5m");
  line.size("--memory", options.memory, "At most this much memory, such as 500M (default: 2G)");
  declare_store(line, options);
  declare_reports(line, options.reports, "Print only the verdict and violations");
  line.output_file("--save", options.save, save_help);
}

// With steps of this size no search reaches the end of the clock, in the year 9999.
constexpr std::int64_t largest_step = 1'000'000;
constexpr std::size_t longest_list = 16;

/// The values of a list, each once. Throws InputError if `value_of` returns none for a word.
template <class Value>
std::vector<Value> parse_list(std::string_view option, const std::vector<std::string>& words, std::string_view valid,
                              const auto& value_of) {
  std::vector<Value> values;
  for (const auto& word : words) {
    const std::optional<Value> value = value_of(word);
    if (!value) throw InputError(fmt::format("{} must list {}, got \"{}\"", option, valid, word));
    if (std::find(values.begin(), values.end(), *value) == values.end()) values.push_back(*value);
  }
  if (values.size() > longest_list) throw InputError(fmt::format("{} lists more than {}", option, longest_list));
  return values;
}

std::vector<TtlField> parse_ttls(std::string_view option, const std::vector<std::string>& words,
                                 std::string_view absent) {
  const auto valid = fmt::format("{}, -1 or 1 to {}", absent, largest_ttl);
  return parse_list<TtlField>(option, words, valid, [&](const std::string& word) -> std::optional<TtlField> {
    if (word == absent) return Absent{};
    const auto number = parse_number<std::int64_t>(word);
    if (!number || *number < -1 || *number == 0 || *number > largest_ttl) return std::nullopt;
    return *number;
  });
}

std::vector<Seconds> parse_steps(const std::vector<std::string>& words) {
  const auto valid = fmt::format("seconds from 1 to {}", largest_step);
  return parse_list<Seconds>("--steps", words, valid, [](const std::string& word) -> std::optional<Seconds> {
    const auto number = parse_number<std::int64_t>(word);
    if (!number || *number < 1 || *number > largest_step) return std::nullopt;
    return Seconds{*number};
  });
}

Scope scope_of(const ExploreOptions& options) {
  return {.collections = options.collections,
          .documents = options.documents,
          .ttls = parse_ttls("--ttls", options.ttls, "absent"),
          .defaults = parse_ttls("--defaults", options.defaults, "off"),
          .steps = parse_steps(options.steps),
          .lazy = options.lazy};
}

class Explore {
 public:
  Explore(const ExploreOptions& options, const CommandLine& line)
      : options_(options), line_(line), scope_(scope_of(options)), progress_(!options.reports.quiet) {}

  Exit run() {
    if (!options_.reports.quiet) print_scope();
    watch_ = {};
    found_ = explore_isolated(scope_, limits(), search(), *store_, options_.timeout, is_interrupted);
    seconds_ = watch_.seconds();
    progress_.clear();
    fill_result();
    const bool is_saved = save_traces(result_.findings, options_.save);
    return report(result_, options_.reports, is_saved);
  }

 private:
  bool is_closed() const { return found_.end == Exploration::End::closed; }

  Search search() {
    RemoteSubject* remote = store_->remote();
    if (!remote) return explore_under_test;
    return [remote](const Scope& scope, const ExploreLimits& limits) { return explore_remote(scope, limits, *remote); };
  }

  ExploreLimits limits() {
    return {.depth = options_.depth.value_or(greatest_depth),
            .memory = options_.memory,
            .stop = [this](const Exploration& so_far) { return must_stop(so_far); }};
  }

  bool must_stop(const Exploration& so_far) {
    const double seconds = watch_.seconds();
    if (progress_.is_due(seconds))
      progress_.show(seconds, fmt::format("depth {}  {}", so_far.depth, counts(so_far, seconds)));
    return interrupted || seconds >= options_.seconds.value_or(1e9);
  }

  std::string counts(const Exploration& so_far, double seconds) const {
    return fmt::format("{}, {} in {:.2f} s ({}/s)", counted(so_far.states, store_->remote() ? "sequence" : "state"),
                       counted(so_far.transitions, "transition"), seconds, rate(so_far.transitions, seconds));
  }

  std::string stopped_by() const {
    switch (found_.end) {
      case Exploration::End::depth:
        return fmt::format("--depth {}", found_.depth);
      case Exploration::End::memory:
        return fmt::format("--memory at {} MiB", options_.memory >> 20);
      case Exploration::End::stopped:
        return interrupted ? "an interrupt" : fmt::format("--time at {:.0f} s", seconds_);
      default:
        return {};
    }
  }

  void print_scope() const {
    const std::string scope = fmt::format(
        "{}: {} in {}{}, ttl {}, default {}, steps of {} s",
        counted(alphabet_of(scope_, store_->features()).size(), "operation"), counted(scope_.documents, "document"),
        counted(scope_.collections, "collection"), scope_.lazy ? ", lazy or not" : "", fmt::join(options_.ttls, " "),
        fmt::join(options_.defaults, " "), fmt::join(options_.steps, " "));
    fmt::print("{}{}\n", introduction(*store_), folded(scope, 2));
    std::fflush(stdout);
  }

  ReportedFinding finding() const {
    const Failure& failure = *found_.failure;
    const Story story = tell_story(failure, *store_);
    ReportedFinding finding = reported(failure, store_->name());
    finding.trace = trace_text(failure.test_case);
    finding.text = full_text(story);
    finding.story = story_json(story);
    finding.intro =
        fmt::format("VIOLATION: {}\nno shorter trace{} shows one: {}\n\n", finding.headline,
                    store_->remote() ? " that was sent" : "", counted(failure.test_case.steps.size(), "operation"));
    return finding;
  }

  /// The sequences that were sent and answered as the rules allow; empty if there are none.
  std::string covered() const {
    const bool is_remote = store_->remote() != nullptr;
    if (found_.failure || (found_.depth == 0 && !is_closed())) return {};
    if (is_closed() && !is_remote) return "every sequence of operations";
    const std::size_t complete = is_remote ? std::min(found_.depth + is_closed(), unmerged_operations) : found_.depth;
    std::string text = fmt::format("every sequence of up to {}", counted(complete, "operation"));
    if (!is_remote || (found_.depth <= unmerged_operations && !is_closed())) return text;
    if (!is_closed()) text += fmt::format("; of up to {}", counted(found_.depth, "operation"));
    const std::string_view from_there = is_closed() ? "; beyond that," : "";
    return text + fmt::format(
                      "{} one for each state of the reference together with the last {} changes of one document or "
                      "collection, and how it was asked for since",
                      from_there, remembered_changes);
  }

  void fill_result() {
    result_.was_interrupted = is_interrupted();
    result_.seconds = seconds_;
    result_.claim = "every sequence of operations of a small scope";
    result_.details = details();
    if (found_.failure) result_.findings.push_back(finding());
    judge();
  }

  void conclude(Result::End end, const char* verdict, std::string headline, const std::string& what) {
    result_.end = end;
    result_.verdict = verdict;
    result_.headline = std::move(headline);
    result_.summary = what.empty() ? counts(found_, seconds_) : fmt::format("{}: {}", what, counts(found_, seconds_));
    if (end == Result::End::inconclusive) result_.doubts.push_back(what);
  }

  void judge() {
    const std::string stopped = fmt::format("stopped at depth {} by {}", found_.depth, stopped_by());
    const std::string holds = fmt::format("holds for {}", covered());
    const auto unless_interrupted = [](Result::End end) { return is_interrupted() ? Result::End::interrupted : end; };
    if (found_.failure)
      conclude(Result::End::violated, "violated", "VIOLATED", "");
    else if (is_closed())
      conclude(Result::End::held, "closed",
               fmt::format("closed at depth {}{}", found_.depth, store_->remote() ? "; " + holds : ""), "");
    else if (found_.depth > 0 && !found_.was_cut_off)
      conclude(unless_interrupted(Result::End::held), "not closed", "not closed", stopped + "; " + holds);
    else
      conclude(unless_interrupted(Result::End::inconclusive), "inconclusive", "INCONCLUSIVE",
               stopped + (found_.depth == 0 ? ", and nothing was covered" : ", while an answer was awaited; " + holds));
  }

  boost::json::object json_scope() const {
    return {{"documents", scope_.documents},
            {"collections", scope_.collections},
            {"ttls", boost::json::value_from(options_.ttls)},
            {"defaults", boost::json::value_from(options_.defaults)},
            {"steps", boost::json::value_from(options_.steps)},
            {"lazy", scope_.lazy}};
  }

  boost::json::object details() const {
    return {{"covered", covered()},  {"stopped_by", stopped_by()}, {"scope", json_scope()},
            {"depth", found_.depth}, {"states", found_.states},    {"transitions", found_.transitions}};
  }

  const ExploreOptions& options_;
  const CommandLine& line_;
  Scope scope_;
  Progress progress_;
  Stopwatch watch_;
  std::unique_ptr<Subject> store_ = chosen_store(options_, Audit::every_operation);
  Exploration found_;
  Result result_ = new_result(line_, options_, *store_);
  double seconds_ = 0;
};

Exit explore(const ExploreOptions& options, const CommandLine& line) {
  watch_for_interrupt();
  return Explore(options, line).run();
}

}  // namespace

Command explore_command() {
  return command("explore", "Every sequence of a few operations, until no state is new", declare, explore);
}

}  // namespace mayfly::app
