#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <random>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "interrupt.hpp"
#include "mayfly/props/minimise.hpp"
#include "mayfly/props/random.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "mayfly/sim/input_error.hpp"
#include "narrate.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "stopwatch.hpp"
#include "violation.hpp"

namespace mayfly::app {

namespace {

constexpr double most_seconds_of_shrinking = 20;

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
    while (!is_over() && !failure_) {
      try_case(cases_++);
      if (progress_.is_due(watch_.seconds())) progress_.show(watch_.seconds(), progress_line());
    }
    const double searched = watch_.seconds();
    progress_.clear();
    if (failure_) shrink();
    report(searched);
    if (failure_) return Exit::violation;
    return interrupted ? Exit::interrupted : Exit::held;
  }

 private:
  double most_seconds() const { return options_.seconds.value_or(options_.cases ? 1e9 : 10); }

  bool is_over() const {
    return interrupted || cases_ >= options_.cases.value_or(UINT64_MAX) || watch_.seconds() >= most_seconds();
  }

  // Half of the cases are watched. Every fourth case also has to keep a law, each in its turn, on each of the two
  // stores.
  void try_case(std::uint64_t number) {
    const std::uint64_t draw = Random(seed_ + number * 0x9e3779b97f4a7c15).next();
    const Case test_case = generate(draw, {options_.longest_case});
    const Property& agreement = number % 2 == 0 ? agrees_watched() : agrees_unwatched();
    const Watch watch = number % 2 == 0 ? Watch::everything : Watch::nothing;
    if (auto violation = check_agreement(test_case, engine_, watch, &tally_)) {
      failure_ = {&agreement, test_case, std::move(*violation)};
    } else if (number % 4 == 3) {
      const std::uint64_t turn = number / 4;
      try_law(laws()[turn % laws().size()], test_case, turn / laws().size() % 2 == 0 ? engine() : reference());
    }
  }

  void try_law(const Property& law, const Case& test_case, Subject& subject) {
    ++laws_tried_;
    if (auto violation = law.check(test_case, subject)) {
      failure_ = {&law, test_case, std::move(*violation)};
      failed_ = &subject;
    }
  }

  void shrink() {
    const std::size_t before = failure_->test_case.operations.size();
    if (!options_.quiet)
      fmt::print(stderr, "violation in case {} of {} operations; shrinking\n", cases_, with_commas(before));
    Stopwatch shrinking;
    auto minimised = minimise(std::move(*failure_), *failed_,
                              [&] { return interrupted || shrinking.seconds() > most_seconds_of_shrinking; });
    failure_ = std::move(minimised.failure);
    shrunk_ = fmt::format("shrunk from {} to {} operations in {} runs{}", before, failure_->test_case.operations.size(),
                          minimised.runs, minimised.is_minimal ? "" : ", stopped early");
  }

  std::string progress_line() const {
    const double seconds = watch_.seconds();
    const auto operations = tally_.operations();
    const std::string left = options_.cases && !options_.seconds
                                 ? fmt::format("{} cases left", with_commas(*options_.cases - cases_))
                                 : fmt::format("{:.0f} s left", std::max(0.0, most_seconds() - seconds));
    return fmt::format("{} cases  {} operations  {:.2f} M/s  {}", with_commas(cases_), with_commas(operations),
                       static_cast<double>(operations) / seconds / 1e6, left);
  }

  // Reporting.

  void report(double searched) {
    std::string saved;
    if (failure_) saved = save_trace(*failure_, options_.save);
    if (failure_)
      print_violation(saved);
    else if (!options_.quiet)
      fmt::print("{}", exercised());
    print_verdict(searched);
    if (!options_.json.empty()) write_whole(options_.json, json_report(searched, saved));
  }

  void print_violation(const std::string& saved) {
    const auto& property = *failure_->property;
    fmt::print("VIOLATION: the {} breaks \"{}\"\n{} [case {}]\n\n", failed_->name(), property.name, shrunk_, cases_);
    fmt::print("{}\n{}", narrate(*failure_, *failed_), replay_hint(saved));
  }

  void print_verdict(double searched) const {
    const auto operations = tally_.operations();
    fmt::print("{}: {} cases, {} operations and {} laws in {:.1f} s ({:.2f} M operations/s)\n",
               failure_      ? "VIOLATED"
               : interrupted ? "held until interrupted"
                             : "held",
               with_commas(cases_), with_commas(operations), with_commas(laws_tried_), searched,
               static_cast<double>(operations) / searched / 1e6);
    fmt::print("seed {}; repeat with: mayfly check --seed {} --cases {}{}\n", seed_, seed_, cases_,
               options_.longest_case == Shape{}.longest_case ? "" : fmt::format(" --ops {}", options_.longest_case));
  }

  std::string exercised() const {
    std::string text = fmt::format("{:<20}{:>12}   answers\n", "operation", "times");
    for (std::size_t kind = 0; kind < Tally::kind_count; ++kind) {
      text += fmt::format("{:<20}{:>12}  ", keywords[kind], with_commas(tally_.operations(kind)));
      for (const auto& [status, count] : tally_.answers(kind))
        text += fmt::format(" {} x {}", static_cast<int>(status), with_commas(count));
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
                        {"verdict", failure_      ? "violated"
                                    : interrupted ? "interrupted"
                                                  : "held"},
                        {"seed", std::to_string(seed_)},
                        {"cases", cases_},
                        {"operations", tally_.operations()},
                        {"laws", laws_tried_},
                        {"seconds", searched}};
    json::object answers;
    for (std::size_t kind = 0; kind < Tally::kind_count; ++kind) {
      json::object by_status;
      for (const auto& [status, count] : tally_.answers(kind))
        by_status[std::to_string(static_cast<int>(status))] = count;
      answers[keywords[kind]] = std::move(by_status);
    }
    report["answers"] = std::move(answers);
    json::object rules;
    for (const auto& rule : all_rules()) rules[rule.id] = tally_.decisive(rule.rule);
    report["rules"] = std::move(rules);
    if (failure_) report["violation"] = json_violation(*failure_, failed_->name(), saved);
    return json::serialize(report) + "\n";
  }

  Subject& engine() { return engine_; }
  Subject& reference() { return reference_; }

  const CheckOptions& options_;
  std::uint64_t seed_;
  Progress progress_;
  Stopwatch watch_;
  InProcess<Engine> engine_{"engine"};
  InProcess<ReferenceStore> reference_{"reference"};
  Tally tally_;
  std::uint64_t cases_ = 0;
  std::uint64_t laws_tried_ = 0;
  std::optional<Failure> failure_;
  Subject* failed_ = &engine_;
  std::string shrunk_;
};

}  // namespace

Exit check(const CheckOptions& options) {
  if (!options.save.empty()) ensure_writable("--save", options.save);
  if (!options.json.empty()) ensure_writable("--json", options.json);
  watch_for_interrupt();
  return Check(options).run();
}

}  // namespace mayfly::app
