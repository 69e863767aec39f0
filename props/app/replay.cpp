#include <fmt/format.h>

#include "command.hpp"
#include "mayfly/props/decisive.hpp"
#include "mayfly/props/property.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "mayfly/sim/json.hpp"
#include "mayfly/sim/trace.hpp"
#include "narrate.hpp"

namespace mayfly::app {

namespace {

/// Replays traces on reference and engine, and counts what is not as it should be.
class Replay {
 public:
  explicit Replay(bool quiet) : quiet_(quiet) {}

  void file(const std::string& path) {
    const auto cases = read_trace_file(path);
    ++files_;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      ++cases_;
      tell(fmt::format("{}, case {} of {}\n", path, i + 1, cases.size()));
      steps(path, cases[i]);
      properties(path, cases[i].without_expectations());
    }
  }

  Exit verdict() const {
    fmt::print("{}: {} file(s), {} case(s), {} step(s), {} not as they should be\n",
               failures_ == 0 ? "held" : "VIOLATED", files_, cases_, steps_, failures_);
    return failures_ == 0 ? Exit::held : Exit::violation;
  }

 private:
  void tell(const std::string& text) const {
    if (!quiet_) fmt::print("{}", text);
  }

  void fail(const std::string& text) {
    ++failures_;
    fmt::print("{}", text);
  }

  void steps(const std::string& path, const TraceCase& trace) {
    Lockstep lockstep(trace.start, engine_);
    for (const auto& step : trace.steps) {
      ++steps_;
      const Instant now = lockstep.now();
      lockstep.reference().settle(now);
      const RuleSet rules = decisive_rules(lockstep.reference(), now, step.operation);
      const Exchange exchange = lockstep.step(step.operation);
      const std::string text = narrate_step(now, step.operation, exchange, rules, engine_.name());
      if (exchange.is_allowed)
        tell(text);
      else
        fail(fmt::format("{}:{}:\n{}", path, step.line, text));
      check_expectation(path, step, "reference", exchange.expected.answer);
      check_expectation(path, step, "engine", exchange.actual);
    }
  }

  void check_expectation(const std::string& path, const TraceStep& step, std::string_view store,
                         const Outcome& answer) {
    if (!step.expect || step.expect->is_met_by(answer)) return;
    fail(fmt::format("{}:{}: expected {}\n{:>{}} answered {}\n", path, step.line, to_line(step.expect->json()), store,
                     fmt::formatted_size("{}:{}: expected", path, step.line) - 9, to_line(to_json(answer))));
  }

  void properties(const std::string& path, const Case& test_case) {
    for (const Property& property : all_properties())
      for (Subject* subject : std::initializer_list<Subject*>{&engine_, &reference_})
        if (auto violation = property.check(test_case, *subject)) {
          const Failure failure{&property, test_case, std::move(*violation)};
          fail(fmt::format("{}: the {} breaks \"{}\" [{}]\n{}", path, subject->name(), property.name,
                           ids_of(property.rules), narrate(failure, *subject)));
        }
  }

  bool quiet_;
  InProcess<Engine> engine_{"engine"};
  InProcess<ReferenceStore> reference_{"reference"};
  std::size_t files_ = 0;
  std::size_t cases_ = 0;
  std::size_t steps_ = 0;
  std::size_t failures_ = 0;
};

}  // namespace

Exit replay(const ReplayOptions& options) {
  Replay replay(options.quiet);
  for (const auto& path : options.files) replay.file(path);
  return replay.verdict();
}

}  // namespace mayfly::app
