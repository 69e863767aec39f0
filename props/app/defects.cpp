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
#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/json.hpp"
#include "mayfly/sim/stopwatch.hpp"

namespace mayfly::app {

namespace {

struct DefectsOptions {
  std::vector<std::string> ids;  ///< of defects, and of clauses and rules for all that break them
  bool list = false;
  std::uint64_t seeds = 20;
  std::optional<std::string> json;
  bool quiet = false;
};

void declare(CommandLine& line, DefectsOptions& options) {
  line.arguments("ID", options.ids, "Only these defects, or those of a rule or clause (X2.query)");
  line.flag("--list", options.list, "Only say what they are");
  line.number("--seeds", options.seeds, 1, 1000, "How many random searches for each defect (1 to 1000)");
  line.group(CommandLine::output_group);
  line.output_file("--json", options.json, "Write the result to this file as well");
  line.flag("--quiet", options.quiet, "Only the verdict");
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

/// What is known of one defect: each way to look for it fills in its part.
struct Finding {
  const DefectText* defect = nullptr;
  std::uint64_t seeds = 0;
  std::vector<double> operations;  ///< of each search that caught it
  std::vector<double> milliseconds;
  std::vector<std::string_view> scenarios;  ///< whose expectations it does not meet
  std::optional<Failure> shrunk;            ///< of the first seed
  std::size_t shortest = 0;                 ///< operations, by exhaustive search; 0 if that did not find it

  bool is_caught_always() const { return operations.size() == seeds; }
};

void search_at_random(Finding& finding, Subject& subject) {
  for (std::uint64_t seed = 1; seed <= finding.seeds && !interrupted; ++seed) {
    Stopwatch watch;
    SearchResult searched = random_search(subject, seed, most_operations);
    if (!searched.failure) continue;
    finding.operations.push_back(static_cast<double>(searched.operations));
    finding.milliseconds.push_back(watch.seconds() * 1e3);
    if (!finding.shrunk) finding.shrunk = std::move(searched.failure);
  }
}

void shrink(Finding& finding, Subject& subject) {
  if (!finding.shrunk) return;
  Stopwatch watch;
  finding.shrunk = minimise(std::move(*finding.shrunk), subject, [&] {
                     return interrupted != 0 || watch.seconds() > most_seconds_for_one;
                   }).failure;
}

void try_scenarios(Finding& finding, Subject& subject) {
  for (const auto& scenario : all_scenarios())
    if (!is_met_by(scenario, subject)) finding.scenarios.push_back(scenario.name);
}

// The default scope, and then one with lazy collections; as deep as the budget goes.
void explore(Finding& finding) {
  for (const bool lazy : {false, true}) {
    const Scope scope{.lazy = lazy, .margin = Seconds{2}};
    const ExploreLimits limits{
        .stop = [](const Exploration& so_far) { return interrupted != 0 || so_far.transitions > most_transitions; }};
    const auto failure = Explorer(scope, limits, DefectiveStore(finding.defect->defect)).run().failure;
    if (failure) finding.shortest = failure->test_case.steps.size();
    if (failure) return;
  }
}

Finding look_for(const DefectText& defect, std::uint64_t seeds) {
  Finding finding{.defect = &defect, .seeds = seeds};
  Defective subject(std::string(defect.id), Audit::never, DefectiveStore(defect.defect));
  search_at_random(finding, subject);
  shrink(finding, subject);
  try_scenarios(finding, subject);
  explore(finding);
  return finding;
}

// The table.

constexpr std::size_t width_of_names = 44;  // so that a row fits a terminal of 80 columns

std::string names(std::string_view defect, std::string_view clause) {
  return fmt::format("{} {:>{}}", defect, clause, width_of_names - 1 - defect.size());
}

std::string heading() { return fmt::format("{} random search scen.     ops shrunk\n", names("defect", "clause")); }

std::string row(const Finding& finding) {
  const auto& operations = finding.operations;
  return fmt::format("{} {:>6} {:>6} {:>5} {:>7} {:>6}{}\n", names(finding.defect->id, finding.defect->clause),
                     fmt::format("{}/{}", operations.size(), finding.seeds),
                     finding.shortest ? std::to_string(finding.shortest) : "-", finding.scenarios.size(),
                     with_commas(static_cast<std::uint64_t>(median(operations))),
                     finding.shrunk ? finding.shrunk->test_case.steps.size() : 0,
                     finding.is_caught_always() ? "" : "\n    ^-- SURVIVED");
}

boost::json::object json_of(const Finding& finding) {
  namespace json = boost::json;
  json::array scenarios;
  for (const auto name : finding.scenarios) scenarios.emplace_back(name);
  json::object object{{"id", finding.defect->id},
                      {"rule", id_of(finding.defect->rule())},
                      {"clause", finding.defect->clause},
                      {"sentence", finding.defect->sentence},
                      {"seeds", finding.seeds},
                      {"caught", finding.operations.size()},
                      {"exhaustive_operations", finding.shortest},
                      {"scenarios", std::move(scenarios)},
                      {"median_operations", median(finding.operations)},
                      {"median_milliseconds", median(finding.milliseconds)}};
  if (!finding.shrunk) return object;
  object["property"] = finding.shrunk->property->name;
  auto& trace = object["trace"].emplace_array();
  trace.push_back(to_json(Reset{finding.shrunk->test_case.start}));
  for (const auto& step : finding.shrunk->test_case.steps) trace.push_back(to_json(step.operation));
  return object;
}

std::vector<const DefectText*> selected(const std::vector<std::string>& ids) {
  for (const auto& id : ids)
    if (!defect_named(id) && !clause_named(id) && !rule_named(id))
      throw InputError(fmt::format("defects: there is no defect, clause or rule \"{}\"; --list lists them", id));
  const auto is_named = [&](const DefectText& defect) {
    return std::any_of(ids.begin(), ids.end(), [&](const std::string& id) {
      return id == defect.id || id == defect.clause || rule_named(id) == defect.rule();
    });
  };
  std::vector<const DefectText*> chosen;
  for (const auto& defect : all_defects())
    if (ids.empty() || is_named(defect)) chosen.push_back(&defect);
  return chosen;
}

void list(const std::vector<const DefectText*>& defects) {
  for (const DefectText* defect : defects)
    fmt::print("{}\n", folded(fmt::format("{}  {}: {}", defect->clause, defect->id, defect->sentence), 4));
}

/// Requires a finding.
std::string verdict(const std::vector<Finding>& findings, double seconds) {
  const auto count = [&](auto is_it) { return std::count_if(findings.begin(), findings.end(), is_it); };
  const auto caught = count([](const Finding& f) { return f.is_caught_always(); });
  const auto by_search = count([](const Finding& f) { return f.shortest > 0; });
  const auto by_scenarios = count([](const Finding& f) { return !f.scenarios.empty(); });
  std::vector<double> medians;
  medians.reserve(findings.size());
  for (const auto& finding : findings) medians.push_back(median(finding.operations));
  std::sort(medians.begin(), medians.end());
  const double nine_in_ten = medians[(medians.size() * 9 + 9) / 10 - 1];
  return fmt::format(
      "{}: {} of {} from each of {}, {} by scenarios and {} by exhaustive search too, in {:.1f} s\n"
      "operations to the catch, in the median: at most {} for nine in ten of them, {} for the slowest\n",
      caught == std::ssize(findings) ? "caught" : "SURVIVED", caught, counted(findings.size(), "defect"),
      counted(findings.front().seeds, "seed"), by_scenarios, by_search, seconds,
      with_commas(static_cast<std::uint64_t>(nine_in_ten)), with_commas(static_cast<std::uint64_t>(medians.back())));
}

std::string json_report(const std::vector<Finding>& findings) {
  boost::json::array defects;
  for (const auto& finding : findings) defects.push_back(json_of(finding));
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
  std::vector<Finding> findings;
  if (!options.quiet) fmt::print("{}", heading());
  for (const DefectText* defect : chosen) {
    if (progress.is_due(watch.seconds()))
      progress.show(watch.seconds(), fmt::format("{} of {}: {}", findings.size() + 1, chosen.size(), defect->id));
    Finding finding = look_for(*defect, options.seeds);
    progress.clear();
    if (interrupted) break;  // it has not been looked for everywhere
    findings.push_back(std::move(finding));
    if (!options.quiet) fmt::print("{}", row(findings.back()));
  }
  if (interrupted) fmt::print("interrupted after {} of {}\n", findings.size(), counted(chosen.size(), "defect"));
  if (!findings.empty()) fmt::print("{}", verdict(findings, watch.seconds()));
  if (options.json) write_whole(*options.json, json_report(findings));
  const bool all_caught =
      std::all_of(findings.begin(), findings.end(), [](const auto& f) { return f.is_caught_always(); });
  if (!all_caught) return Exit::violation;
  return interrupted ? Exit::interrupted : Exit::held;
}

}  // namespace

Command defects_command() {
  return command("defects", "Searches for planted defects, all of which must be caught", declare, defects);
}

}  // namespace mayfly::app
