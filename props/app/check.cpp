#include <algorithm>
#include <cctype>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <random>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "mayfly/props/defective_store.hpp"
#include "mayfly/props/hunt.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "mayfly/sim/json.hpp"
#include "mayfly/sim/trace.hpp"
#include "narrate.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "stopwatch.hpp"

namespace mayfly::app {

namespace {

constexpr double most_seconds_of_shrinking = 20;
constexpr std::uint64_t most_operations_of_canary = 20'000;

volatile std::sig_atomic_t interrupted = 0;

std::uint64_t parse_seed(const std::string& text) {
  if (text.empty()) return std::random_device{}();
  const bool is_commit = text.size() == 40;
  const std::string digits = is_commit ? text.substr(0, 16) : text;
  const bool all_hex = std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seed, is_commit ? 16 : 10);
  if (error == std::errc{} && end == digits.data() + digits.size() && all_hex) return seed;
  throw InputError(fmt::format("--seed must be a number below 2^64 or a 40-digit commit id, got \"{}\"", text));
}

class Check {
 public:
  explicit Check(const CheckOptions& options)
      : options_(options), seed_(parse_seed(options.seed)), progress_(!options.quiet) {}

  Exit run() {
    if (options_.canary) hunt_canary();
    while (!canary_survived() && !is_over() && !hunt_.failure()) {
      hunt_.try_case(&tally_);
      if (progress_.is_due(watch_.seconds())) progress_.show(watch_.seconds(), progress_line());
    }
    const double searched = watch_.seconds();
    progress_.clear();
    failure_ = hunt_.failure();
    if (failure_) shrink();
    report(searched);
    if (failure_ || canary_survived()) return Exit::violation;
    return interrupted ? Exit::interrupted : Exit::held;
  }

 private:
  // A run that cannot find a known defect proves nothing by finding none. Always in cases of the usual length: a short
  // one may have no room for it.
  void hunt_canary() {
    InProcess<DefectiveStore> defective("canary", Audit::never, DefectiveStore(canary));
    canary_ = hunt(defective, seed_, most_operations_of_canary);
  }

  bool canary_survived() const { return canary_ && !canary_->failure; }

  double most_seconds() const { return options_.seconds.value_or(options_.cases ? 1e9 : 10); }

  bool is_over() const {
    return interrupted || hunt_.cases() >= options_.cases.value_or(UINT64_MAX) || watch_.seconds() >= most_seconds();
  }

  void shrink() {
    const std::size_t before = failure_->test_case.operations.size();
    if (!options_.quiet)
      fmt::print(stderr, "violation in case {} of {} operations; shrinking\n", hunt_.cases(), with_commas(before));
    Stopwatch shrinking;
    auto minimised = minimise(std::move(*failure_), hunt_.failed(),
                              [&] { return interrupted || shrinking.seconds() > most_seconds_of_shrinking; });
    failure_ = std::move(minimised.failure);
    shrunk_ = fmt::format("shrunk from {} to {} operations in {} runs{}", before, failure_->test_case.operations.size(),
                          minimised.runs, minimised.is_minimal ? "" : ", stopped early");
  }

  std::string progress_line() const {
    const double seconds = watch_.seconds();
    const auto operations = tally_.operations();
    const std::string left = options_.cases && !options_.seconds
                                 ? fmt::format("{} cases left", with_commas(*options_.cases - hunt_.cases()))
                                 : fmt::format("{:.0f} s left", std::max(0.0, most_seconds() - seconds));
    return fmt::format("{} cases  {} operations  {:.2f} M/s  {}", with_commas(hunt_.cases()), with_commas(operations),
                       static_cast<double>(operations) / seconds / 1e6, left);
  }

  // Reporting.

  void report(double searched) {
    std::string saved;
    if (failure_) saved = save_trace();
    if (failure_)
      print_violation(saved);
    else if (canary_survived())
      fmt::print("THE CANARY SURVIVED: {} operations did not find that {} ({}), so this run could find nothing\n",
                 with_commas(canary_->operations), text_of(canary).sentence, text_of(canary).id);
    else if (!options_.quiet)
      fmt::print("{}", exercised());
    print_verdict(searched);
    if (!options_.json.empty()) write_whole(options_.json, json_report(searched, saved));
  }

  std::string save_trace() {
    const std::string path = options_.save.empty() ? "mayfly-violation.jsonl" : options_.save;
    try {
      write_whole(path, trace_text(failure_->test_case));
      return path;
    } catch (const InputError& error) {
      fmt::print(stderr, "mayfly: the trace is not saved: {}\n", error.what());
      return {};
    }
  }

  void print_violation(const std::string& saved) {
    const auto& property = *failure_->property;
    fmt::print("VIOLATION: the {} breaks \"{}\"\n{} [case {}]\n\n", hunt_.failed().name(), property.name, shrunk_,
               hunt_.cases());
    fmt::print("{}\n", narrate(*failure_, hunt_.failed()));
    if (!saved.empty()) fmt::print("saved as {}; replay it with: mayfly replay {}\n", saved, saved);
  }

  void print_verdict(double searched) const {
    const auto operations = tally_.operations();
    fmt::print("{}: {} cases, {} operations and {} laws in {:.1f} s ({:.2f} M operations/s)\n",
               failure_ || canary_survived() ? "VIOLATED"
               : interrupted                 ? "held until interrupted"
                                             : "held",
               with_commas(hunt_.cases()), with_commas(operations), with_commas(hunt_.laws_tried()), searched,
               static_cast<double>(operations) / searched / 1e6);
    fmt::print("seed {}; repeat with: mayfly check --seed {} --cases {}{}\n", seed_, seed_,
               std::max<std::uint64_t>(hunt_.cases(), 1),
               options_.longest_case == Shape{}.longest_case ? "" : fmt::format(" --ops {}", options_.longest_case));
  }

  std::string exercised() const {
    std::string text = fmt::format("{:<20}{:>12}   answers\n", "operation", "times");
    for (std::size_t kind = 0; kind < Tally::kind_count; ++kind) {
      text += fmt::format("{:<20}{:>12}  ", keywords[kind], with_commas(tally_.operations(kind)));
      for (std::size_t i = 0; i < Tally::statuses.size(); ++i)
        if (const auto count = tally_.answers(kind, i))
          text += fmt::format(" {} x {}", static_cast<int>(Tally::statuses[i]), with_commas(count));
      text += "\n";
    }
    text += "\ntimes that each rule was decisive\n";
    constexpr std::size_t columns = 5;
    for (std::size_t i = 0; i < rule_count; ++i) {
      const Rule rule = all_rules()[i].rule;
      text += fmt::format("{} {:>10}{}", id_of(rule), with_commas(tally_.decisive(rule)),
                          i % columns == columns - 1 || i + 1 == rule_count ? "\n" : "   ");
    }
    return text + "\n";
  }

  std::string json_report(double searched, const std::string& saved) const {
    namespace json = boost::json;
    json::object report{{"format", "mayfly-check"},
                        {"version", 1},
                        {"verdict", failure_            ? "violated"
                                    : canary_survived() ? "canary survived"
                                    : interrupted       ? "interrupted"
                                                        : "held"},
                        {"seed", std::to_string(seed_)},
                        {"cases", hunt_.cases()},
                        {"operations", tally_.operations()},
                        {"laws", hunt_.laws_tried()},
                        {"seconds", searched},
                        {"canary", json_canary()}};
    json::object answers;
    for (std::size_t kind = 0; kind < Tally::kind_count; ++kind) {
      json::object by_status;
      for (std::size_t i = 0; i < Tally::statuses.size(); ++i)
        if (const auto count = tally_.answers(kind, i))
          by_status[std::to_string(static_cast<int>(Tally::statuses[i]))] = count;
      answers[keywords[kind]] = std::move(by_status);
    }
    report["answers"] = std::move(answers);
    json::object rules;
    for (const auto& rule : all_rules()) rules[rule.id] = tally_.decisive(rule.rule);
    report["rules"] = std::move(rules);
    if (failure_) report["violation"] = json_violation(saved);
    return json::serialize(report) + "\n";
  }

  boost::json::value json_canary() const {
    if (!canary_) return "skipped";
    return {{"id", text_of(canary).id}, {"caught", !canary_survived()}, {"operations", canary_->operations}};
  }

  boost::json::object json_violation(const std::string& saved) const {
    boost::json::array trace;
    trace.push_back(to_json(Reset{failure_->test_case.start}));
    for (const auto& operation : failure_->test_case.operations) trace.push_back(to_json(operation));
    const auto& [step, operation, exchange] = failure_->violation;
    return {{"store", hunt_.failed().name()},
            {"property", failure_->property->name},
            {"trace", std::move(trace)},
            {"file", saved},
            {"step", step},
            {"request", to_json(operation)},
            {"expected", to_json(exchange.expected.answer)},
            {"actual", to_json(exchange.actual)}};
  }

  const CheckOptions& options_;
  std::uint64_t seed_;
  Progress progress_;
  Stopwatch watch_;
  InProcess<Engine> engine_{"engine"};
  InProcess<ReferenceStore> reference_{"reference"};
  Tally tally_;
  Hunt hunt_{seed_, {options_.longest_case}, engine_, &reference_};
  std::optional<Hunted> canary_;
  std::optional<Failure> failure_;
  std::string shrunk_;
};

}  // namespace

Exit check(const CheckOptions& options) {
  if (!options.save.empty()) ensure_writable("--save", options.save);
  if (!options.json.empty()) ensure_writable("--json", options.json);
  std::signal(SIGINT, [](int) { interrupted = 1; });
  return Check(options).run();
}

}  // namespace mayfly::app
