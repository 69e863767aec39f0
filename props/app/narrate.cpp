#include "narrate.hpp"

#include <fmt/format.h>

#include "mayfly/props/decisive.hpp"
#include "mayfly/sim/json.hpp"

namespace mayfly::app {

namespace {

constexpr std::string_view indent = "              ";

// Charges belong to each store alone: they are shown only where they are what differs.
std::string answer_text(Outcome outcome, bool with_charge = false) {
  if (!with_charge) outcome.charge.reset();
  return to_line(to_json(outcome));
}

std::string allowance(const Expectation& expected) {
  if (expected.may_miss) return " with any of the documents missing (I3)";
  if (expected.answer.purged) return fmt::format(" with up to {} purged (P1)", expected.may_purge.units);
  return {};
}

std::string difference(const Exchange& exchange, const std::string& expected, const std::string& store) {
  const bool with_charge = answer_text(exchange.expected.answer) == answer_text(exchange.actual);
  const std::size_t width = std::max(expected.size(), store.size());
  return fmt::format("{}{:<{}}  {}{}\n{}{:<{}}  {}   <-- differs\n", indent, expected, width,
                     answer_text(exchange.expected.answer, with_charge), allowance(exchange.expected), indent, store,
                     width, answer_text(exchange.actual, with_charge));
}

std::string narrate_law(const Failure& failure, const std::string& store) {
  const auto& [step, operation, exchange] = failure.violation;
  return fmt::format("\nWhat the law compares, at the request\n              {}\n{}", to_line(to_json(operation)),
                     difference(exchange, "the law demands", store));
}

}  // namespace

std::string ids_of(RuleSet rules) {
  std::string ids;
  for (const auto& rule : all_rules())
    if (rules.contains(rule.rule)) ids += fmt::format("{}{}", ids.empty() ? "" : " ", rule.id);
  return ids;
}

std::string narrate_step(Instant now, const Operation& operation, const Exchange& exchange, RuleSet rules,
                         const std::string& store) {
  const std::string why = rules.empty() ? "" : fmt::format("  [{}]", ids_of(rules));
  std::string text = fmt::format("{:>12}  {}{}\n", now.time_since_epoch().count(), to_line(to_json(operation)), why);
  if (!exchange.is_allowed) return text + difference(exchange, "reference", store);
  return text + fmt::format("{}{}\n", indent, answer_text(exchange.actual));
}

std::string narrate(const Failure& failure, Subject& subject) {
  std::string text;
  Lockstep lockstep(failure.test_case.start, subject);
  const auto tell = [&](const Operation& operation) {
    const Instant now = lockstep.now();
    lockstep.reference().settle(now);
    const RuleSet rules = decisive_rules(lockstep.reference(), now, operation);
    const Exchange exchange = lockstep.step(operation);
    text += narrate_step(now, operation, exchange, rules, subject.name());
    return exchange.is_allowed;
  };
  const bool is_watched = failure.property == &agrees_watched();
  for (const auto& operation : failure.test_case.operations) {
    if (!tell(operation)) return text;
    const auto look = is_watched ? lockstep.observe() : std::nullopt;
    if (look && !tell(look->operation)) return text;
  }
  return text + narrate_law(failure, subject.name());
}

}  // namespace mayfly::app
