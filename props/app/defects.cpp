#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "interrupt.hpp"
#include "mayfly/model/clause.hpp"
#include "mayfly/props/defects/defective_store.hpp"
#include "mayfly/props/explore/explore.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/property/scenarios.hpp"
#include "mayfly/props/report/output_file.hpp"
#include "mayfly/props/report/progress.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/props/run/random_search.hpp"
#include "mayfly/props/shrink/minimise.hpp"
#include "mayfly/sim/json.hpp"
#include "mayfly/sim/stopwatch.hpp"
#include "terminal.hpp"
#include "unknown_word.hpp"

namespace mayfly::app {

namespace {

struct DefectsOptions {
  std::vector<std::string> ids;  ///< of defects; of clauses and rules for all defects that break them
  bool list = false;
  std::uint64_t seeds = 20;
  std::optional<std::string> json;
  bool quiet = false;
};

void declare(CommandLine& line, DefectsOptions& options) {
  line.arguments("ID", options.ids, "Only these defects, or those of a rule (X2) or clause (X2.query)");
  line.flag("--list", options.list, "Only list the defects, without a search");
  line.number("--seeds", options.seeds, 1, 1000, "Random searches for each defect (1 to 1000)");
  line.group(CommandLine::output_group);
  line.output_file("--json", options.json, "Write the result to this file as well");
  line.flag("--quiet", options.quiet, "Print only the verdict");
}

constexpr std::uint64_t most_operations = 200'000;
constexpr double most_seconds_for_one = 10;
constexpr std::uint64_t most_transitions = 100'000;

using Defective = InProcess<DefectiveStore>;

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The result for one defect. Each kind of search fills in its part.
struct DefectResult {
  const DefectText* defect = nullptr;
  std::uint64_t seeds = 0;
  std::vector<double> operations;  ///< of each search that caught it
  std::vector<double> milliseconds;
  std::vector<std::string_view> scenarios;  ///< those with an expectation that it does not meet
  std::optional<Failure> shrunk;            ///< the failure of the first seed that caught it
  std::size_t shortest = 0;                 ///< operations, by exhaustive search; 0 if it was not caught

  bool is_caught_always() const { return operations.size() == seeds; }
};

/// The world whose cases show the defect.
const World& world_of(const DefectText& defect) {
  const World* world = world_named(defect.world);
  return world ? *world : all_worlds.front();
}

void search_at_random(DefectResult& result, Subject& subject) {
  for (std::uint64_t seed = 1; seed <= result.seeds && !interrupted; ++seed) {
    Stopwatch watch;
    SearchResult searched = random_search(subject, seed, most_operations, world_of(*result.defect));
    if (!searched.failure) continue;
    result.operations.push_back(static_cast<double>(searched.operations));
    result.milliseconds.push_back(watch.seconds() * 1e3);
    if (!result.shrunk) result.shrunk = std::move(searched.failure);
  }
}

void shrink(DefectResult& result, Subject& subject) {
  if (!result.shrunk) return;
  Stopwatch watch;
  result.shrunk = minimise(std::move(*result.shrunk), subject, [&] {
                    return interrupted != 0 || watch.seconds() > most_seconds_for_one;
                  }).failure;
}

void try_scenarios(DefectResult& result, Subject& subject) {
  for (const auto& scenario : all_scenarios())
    if (!is_met_by(scenario, subject)) result.scenarios.push_back(scenario.name);
}

// The default scope, then one with lazy collections, each until the budget is spent.
void explore(DefectResult& result) {
  for (const bool lazy : {false, true}) {
    const Scope scope{.lazy = lazy, .margin = Seconds{2}};
    const ExploreLimits limits{
        .stop = [](const Exploration& so_far) { return interrupted != 0 || so_far.transitions > most_transitions; }};
    const auto failure = Explorer(scope, limits, DefectiveStore(result.defect->defect)).run().failure;
    if (failure) result.shortest = failure->test_case.steps.size();
    if (failure) return;
  }
}

DefectResult search_for(const DefectText& defect, std::uint64_t seeds) {
  DefectResult result{.defect = &defect, .seeds = seeds};
  Defective subject(std::string(defect.id), Audit::never, DefectiveStore(defect.defect));
  search_at_random(result, subject);
  shrink(result, subject);
  try_scenarios(result, subject);
  explore(result);
  return result;
}

// The table has a row of 79 columns for each defect. In a narrower terminal the name has a line of its own.

constexpr std::size_t width_of_names = 44;

std::string names(std::string_view defect, std::string_view clause) {
  if (terminal_width() < 79) return fmt::format("{} {}\n", defect, clause);
  return fmt::format("{} {:>{}} ", defect, clause, width_of_names - 1 - defect.size());
}

std::string heading() { return names("defect", "clause") + "random search scen.     ops shrunk\n"; }

std::string row(const DefectResult& result) {
  const auto& operations = result.operations;
  return fmt::format(
      "{}{:>6} {:>6} {:>5} {:>7} {:>6}{}\n", names(result.defect->id, result.defect->clause),
      fmt::format("{}/{}", operations.size(), result.seeds), result.shortest ? std::to_string(result.shortest) : "-",
      result.scenarios.size(), with_commas(static_cast<std::uint64_t>(median(operations))),
      result.shrunk ? result.shrunk->test_case.steps.size() : 0, result.is_caught_always() ? "" : "\n    ^-- SURVIVED");
}

boost::json::object json_of(const DefectResult& result) {
  namespace json = boost::json;
  json::array scenarios;
  for (const auto name : result.scenarios) scenarios.emplace_back(name);
  json::object object{{"id", result.defect->id},
                      {"rule", id_of(result.defect->rule())},
                      {"clause", result.defect->clause},
                      {"sentence", result.defect->sentence},
                      {"world", result.defect->world},
                      {"reference", result.defect->reference},
                      {"seeds", result.seeds},
                      {"caught", result.operations.size()},
                      {"exhaustive_operations", result.shortest},
                      {"scenarios", std::move(scenarios)},
                      {"median_operations", median(result.operations)},
                      {"median_milliseconds", median(result.milliseconds)}};
  if (!result.shrunk) return object;
  object["property"] = result.shrunk->property->name;
  auto& trace = object["trace"].emplace_array();
  trace.push_back(to_json(Reset{result.shrunk->test_case.start}));
  for (const auto& step : result.shrunk->test_case.steps) trace.push_back(to_json(step.operation));
  return object;
}

std::vector<std::string> all_names() {
  std::vector<std::string> ids;
  for (const auto& defect : all_defects()) ids.emplace_back(defect.id);
  for (const auto& clause : all_clauses()) ids.emplace_back(clause.id);
  for (const auto& rule : all_rules()) ids.emplace_back(rule.id);
  return ids;
}

std::vector<const DefectText*> selected(const std::vector<std::string>& words) {
  std::vector<std::string> ids;
  for (const auto& word : words)
    ids.push_back(known_word("defect, clause or rule", word, all_names(), "mayfly defects --list lists them"));
  const auto is_named = [&](const DefectText& defect) {
    return std::any_of(ids.begin(), ids.end(), [&](const std::string& id) {
      return id == defect.id || id == defect.clause || id == id_of(defect.rule());
    });
  };
  std::vector<const DefectText*> chosen;
  for (const auto& defect : all_defects())
    if (ids.empty() || is_named(defect)) chosen.push_back(&defect);
  return chosen;
}

void list(const std::vector<const DefectText*>& defects) {
  for (const DefectText* defect : defects) {
    std::string text = fmt::format("{}  {}: {}", defect->clause, defect->id, defect->sentence);
    if (!defect->world.empty()) text += fmt::format("; in the world {}", defect->world);
    if (!defect->reference.empty()) text += fmt::format("; as {}", defect->reference);
    fmt::print("{}\n", folded(text, 4, " ", prose_width()));
  }
}

/// Requires at least one result.
std::string verdict(const std::vector<DefectResult>& results, double seconds) {
  const auto count = [&](auto is_it) { return std::count_if(results.begin(), results.end(), is_it); };
  const auto caught = count([](const DefectResult& f) { return f.is_caught_always(); });
  const auto by_search = count([](const DefectResult& f) { return f.shortest > 0; });
  const auto by_scenarios = count([](const DefectResult& f) { return !f.scenarios.empty(); });
  std::vector<double> medians;
  medians.reserve(results.size());
  for (const auto& result : results) medians.push_back(median(result.operations));
  std::sort(medians.begin(), medians.end());
  const double nine_in_ten = medians[(medians.size() * 9 + 9) / 10 - 1];
  return fmt::format(
      "{}: {} of {} from each of {}, {} by scenarios and {} by exhaustive search too, in {:.1f} s\n"
      "median operations until a defect is caught: at most {} for nine in ten defects, {} for the slowest\n",
      caught == std::ssize(results) ? "caught" : "SURVIVED", caught, counted(results.size(), "defect"),
      counted(results.front().seeds, "seed"), by_scenarios, by_search, seconds,
      with_commas(static_cast<std::uint64_t>(nine_in_ten)), with_commas(static_cast<std::uint64_t>(medians.back())));
}

std::string json_report(const std::vector<DefectResult>& results) {
  boost::json::array defects;
  for (const auto& result : results) defects.push_back(json_of(result));
  return boost::json::serialize(boost::json::object{{"format", "mayfly-defects"},
                                                    {"version", 1},
                                                    {"interrupted", interrupted != 0},
                                                    {"most_operations", most_operations},
                                                    {"defects", std::move(defects)}}) +
         "\n";
}

Exit defects(const DefectsOptions& options, const CommandLine&) {
  const auto chosen = selected(options.ids);
  if (options.list) {
    list(chosen);
    return Exit::held;
  }
  watch_for_interrupt();
  Stopwatch watch;
  Progress progress(!options.quiet);
  std::vector<DefectResult> results;
  if (!options.quiet) fmt::print("{}", heading());
  for (const DefectText* defect : chosen) {
    if (progress.is_due(watch.seconds()))
      progress.show(watch.seconds(), fmt::format("{} of {}: {}", results.size() + 1, chosen.size(), defect->id));
    DefectResult result = search_for(*defect, options.seeds);
    progress.clear();
    if (interrupted) break;  // the search for this one is incomplete
    results.push_back(std::move(result));
    if (!options.quiet) fmt::print("{}", row(results.back()));
  }
  if (interrupted) fmt::print("interrupted after {} of {}\n", results.size(), counted(chosen.size(), "defect"));
  if (!results.empty()) fmt::print("{}", verdict(results, watch.seconds()));
  if (options.json) write_whole(*options.json, json_report(results));
  const bool all_caught =
      std::all_of(results.begin(), results.end(), [](const auto& f) { return f.is_caught_always(); });
  if (!all_caught) return Exit::violation;
  return interrupted ? Exit::interrupted : Exit::held;
}

}  // namespace

Command defects_command() {
  return command("defects", "Searches for each planted defect; all must be caught", declare, defects);
}

}  // namespace mayfly::app
