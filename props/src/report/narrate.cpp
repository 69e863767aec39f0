#include "mayfly/props/report/narrate.hpp"

#include <algorithm>
#include <span>
#include <sstream>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "mayfly/props/decisive.hpp"
#include "mayfly/props/isolate.hpp"
#include "mayfly/sim/json.hpp"

namespace mayfly {

namespace {

constexpr std::string_view indent = "              ";
constexpr std::size_t most_documents = 10;
constexpr double most_seconds_of_looking = 2;

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

std::string difference(const Exchange& exchange, const std::string& allowed, const std::string& expected,
                       const std::string& store) {
  const bool with_charge = answer_text(exchange.expected.answer) == answer_text(exchange.actual);
  const std::size_t width = std::max(expected.size(), store.size());
  return fmt::format("{}{:<{}}  {}{}\n{}{:<{}}  {}   <-- differs\n", indent, expected, width,
                     answer_text(exchange.expected.answer, with_charge), allowed, indent, store, width,
                     answer_text(exchange.actual, with_charge));
}

/// What is shown of a document, but for its identity and what `other` shows too.
std::string shown(const std::optional<Document>& document, const std::optional<Document>& other) {
  if (!document) return "nothing";
  const auto fields_of = [](const Document& d) { return to_json(Outcome{.document = d}).at("document").as_object(); };
  const auto known =
      other ? fields_of(*other) : boost::json::object{{"partition", document->partition}, {"id", document->id}};
  boost::json::object rest;
  for (const auto& field : fields_of(*document))
    if (const auto* same = known.if_contains(field.key()); !same || *same != field.value()) rest.insert(field);
  return to_line(rest);
}

std::string narrate_law(const Failure& failure, const std::string& store) {
  const auto& violation = failure.violation;
  return fmt::format("\nWhat the law compares, at the request\n              {}\n{}",
                     to_line(to_json(violation.operation)),
                     difference(violation.exchange, "", "the law demands", store));
}

}  // namespace

std::string ids_of(RuleSet rules) {
  std::string ids;
  for (const auto& rule : all_rules())
    if (rules.contains(rule.rule)) ids += fmt::format("{}{}", ids.empty() ? "" : " ", rule.id);
  return ids;
}

static std::string narrate_step(Instant now, const Operation& operation, const Exchange& exchange, RuleSet rules,
                                const std::string& store) {
  const std::string why = rules.empty() ? "" : fmt::format("  [{}]", ids_of(rules));
  std::string text = fmt::format("{:>12}  {}{}\n", now.time_since_epoch().count(), to_line(to_json(operation)), why);
  if (!exchange.is_allowed) return text + difference(exchange, allowance(exchange.expected), "reference", store);
  return text + fmt::format("{}{}\n", indent, answer_text(exchange.actual));
}

Told tell(Lockstep& lockstep, const Operation& operation, const std::string& store) {
  const Instant now = lockstep.now();
  lockstep.reference().settle(now);
  const RuleSet rules = decisive_rules(lockstep.reference(), now, operation);
  Exchange exchange = lockstep.step(operation);
  std::string text = narrate_step(now, operation, exchange, rules, store);
  return {std::move(text), std::move(exchange)};
}

// No case has asked for this yet, and a store may die of it: one of this process is tried elsewhere first.
static std::vector<DocumentDifference> differing_documents(Lockstep& lockstep) {
  const auto look = [&] {
    lockstep.differing_documents();
    return 0;
  };
  if (!lockstep.subject().remote() && !isolate(look, most_seconds_of_looking).crash.empty()) return {};
  try {
    return lockstep.differing_documents();
  } catch (const StoreFailure&) {
    return {};
  }
}

std::string tell_documents(Lockstep& lockstep, const std::string& store) {
  std::string text;
  const auto documents = differing_documents(lockstep);
  for (const auto& [key, expected, actual] : std::span(documents).first(std::min(documents.size(), most_documents)))
    text += fmt::format("{}visible at {}/{}/{}: reference {}, {} {}\n", indent, key.collection, key.partition, key.id,
                        shown(expected, actual), store, shown(actual, expected));
  if (documents.size() > most_documents)
    text += fmt::format("{}and {} more documents\n", indent, documents.size() - most_documents);
  return text;
}

RuleSet deciding_rules(const Failure& failure) {
  InProcess<ReferenceStore> reference("reference");
  Lockstep lockstep(failure.test_case.start, reference);
  for (std::size_t i = 0; i < failure.violation.step; ++i) lockstep.step(failure.test_case.operations[i]);
  lockstep.reference().settle(lockstep.now());
  return decisive_rules(lockstep.reference(), lockstep.now(), failure.violation.operation);
}

/// How it died, marked, and below that what it said last.
static std::string crash_lines(const std::string& crash) {
  std::istringstream lines(crash);
  std::string line, text;
  while (std::getline(lines, line))
    text += text.empty() ? fmt::format("{}   <-- differs\n", line) : fmt::format("{}  {}\n", indent, line);
  return text;
}

static std::string narrate_crash(const Failure& failure, const std::string& store) {
  InProcess<ReferenceStore> reference("reference");  // in place of the store, which would crash again
  Lockstep lockstep(failure.test_case.start, reference);
  std::string text;
  Told last;
  for (const auto& operation : failure.test_case.operations) {
    last = tell(lockstep, operation, "reference");
    text += last.text;
  }
  const std::size_t width = std::max(store.size(), std::string_view("reference").size());
  text.resize(text.size() - answer_text(last.exchange.actual).size() - indent.size() - 1);
  return text + fmt::format("{}{:<{}}  {}\n{}{:<{}}  {}", indent, "reference", width, answer_text(last.exchange.actual),
                            indent, store, width, crash_lines(failure.violation.crash));
}

static std::string narrate_answers(const Failure& failure, Subject& subject) {
  std::string text;
  Lockstep lockstep(failure.test_case.start, subject);
  const auto goes_on = [&](const Operation& operation) {
    const Told told = tell(lockstep, operation, subject.name());
    text += told.text;
    if (!told.exchange.is_allowed) text += tell_documents(lockstep, subject.name());
    return told.exchange.is_allowed;
  };
  const bool is_watched = failure.property == &agrees_watched();
  for (const auto& operation : failure.test_case.operations) {
    if (!goes_on(operation)) return text;
    const auto look = is_watched ? lockstep.observe() : std::nullopt;
    if (look && !goes_on(look->operation)) return text;
  }
  return text + narrate_law(failure, subject.name());
}

std::string narrate(const Failure& failure, Subject& subject) {
  if (!failure.violation.crash.empty()) return narrate_crash(failure, subject.name());
  try {
    return narrate_answers(failure, subject);
  } catch (const StoreFailure& crash) {  // it did not do so before
    Failure crashed = failure;
    crashed.violation.crash = crash.what();
    return narrate_crash(crashed, subject.name());
  }
}

}  // namespace mayfly
