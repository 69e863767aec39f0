#include "mayfly/props/report/narrate.hpp"

#include <algorithm>
#include <span>
#include <sstream>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "mayfly/model/rule.hpp"
#include "mayfly/props/property/decisive.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/report/ascii_timeline.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/json.hpp"

namespace mayfly {

namespace {

constexpr std::string_view step_indent = "              ";
constexpr std::size_t most_differences = 10;

// Charges belong to each store alone: they are shown only where they are what differs.
std::string answer_text(Outcome outcome, bool with_charge) {
  if (!with_charge) outcome.charge.reset();
  return to_line(to_json(outcome));
}

/// How it died, marked, and below that what it said last.
std::string crash_lines(const std::string& crash) {
  std::istringstream lines(crash);
  std::string line, text;
  while (std::getline(lines, line))
    text += text.empty() ? fmt::format("{}   <-- differs\n", line) : fmt::format("{}  {}\n", step_indent, line);
  return text;
}

/// What the rules allow beside the answer.
std::string allowance_of(const StoryStep& step) {
  if (step.kind == StoryStep::Kind::law || !step.crash.empty()) return {};
  const Expectation& expected = step.exchange.expected;
  if (expected.may_miss && expected.answer.count) return "or fewer (I3)";
  if (expected.may_miss) return "with any of the documents missing (I3)";
  if (expected.answer.purged) return fmt::format("with up to {} purged (P1)", expected.may_purge.units);
  if (expected.answer.held && expected.must_hold < expected.may_hold)
    return fmt::format("or any number from {} to {} (P1)", expected.must_hold, expected.may_hold);
  return {};
}

/// Both answers, one below the other.
std::string difference(const StoryStep& step, const std::string& expected, const std::string& store) {
  const auto [allowed, allowance, actual] = answers_of(step);
  const std::size_t width = std::max(expected.size(), store.size());
  const std::string answered = step.crash.empty() ? actual + "   <-- differs\n" : crash_lines(step.crash);
  return fmt::format("{}{:<{}}  {}{}{}\n{}{:<{}}  {}", step_indent, expected, width, allowed,
                     allowance.empty() ? "" : " ", allowance, step_indent, store, width, answered);
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

}  // namespace

AnswerTexts answers_of(const StoryStep& step) {
  const auto& [expected, actual, is_allowed] = step.exchange;
  const bool with_charge =
      step.differs() && step.crash.empty() && answer_text(expected.answer, false) == answer_text(actual, false);
  return {answer_text(expected.answer, with_charge), allowance_of(step),
          step.crash.empty() ? answer_text(actual, with_charge) : step.crash};
}

std::string narrate(const StoryStep& step, const std::string& store) {
  const std::string asked = to_line(to_json(step.operation));
  if (step.kind == StoryStep::Kind::law)
    return fmt::format("\nWhat the law compares, at the request\n{}{}\n{}", step_indent, asked,
                       difference(step, "the law demands", store));
  const std::string why = step.rules.empty() ? "" : fmt::format("  [{}]", ids_of(step.rules));
  const std::string text = fmt::format("{:>12}  {}{}\n", step.now.time_since_epoch().count(), asked, why);
  if (step.differs()) return text + difference(step, "reference", store);
  return text + fmt::format("{}{}\n", step_indent, answers_of(step).actual);
}

std::string narrate_documents(const Story& story) {
  std::string text;
  const auto& documents = story.documents;
  for (const auto& [key, expected, actual] : std::span(documents).first(std::min(documents.size(), most_differences)))
    text += fmt::format("{}visible at {}/{}/{}: reference {}, {} {}\n", step_indent, key.collection, key.partition,
                        key.id, shown(expected, actual), story.store, shown(actual, expected));
  if (documents.size() > most_differences)
    text += fmt::format("{}and {} more documents\n", step_indent, documents.size() - most_differences);
  return text;
}

std::string narrate(const Story& story) {
  std::string text =
      story.left_out > 0 ? fmt::format("{}after {}\n", step_indent, counted(story.left_out, "step")) : "";
  for (const auto& step : story.steps) text += narrate(step, story.store);
  return text + narrate_documents(story);
}

std::string violation_text(const Failure& failure, const std::string& store) {
  const auto& [step, operation, exchange, crash] = failure.violation;
  const auto& steps = failure.test_case.steps;
  const bool is_of_the_case = step < steps.size() && steps[step].operation == operation;
  const auto kind = failure.property->is_agreement() ? StoryStep::Kind::request : StoryStep::Kind::law;
  const AnswerTexts answers = answers_of({.kind = kind, .operation = operation, .exchange = exchange, .crash = crash});
  return fmt::format("the {} breaks \"{}\"\n{:<10}{}\nexpected  {}{}{}\nanswered  {}", store, failure.property->name,
                     is_of_the_case ? "asked" : "observed", to_line(to_json(operation)), answers.expected,
                     answers.allowance.empty() ? "" : " ", answers.allowance, answers.actual);
}

std::string full_text(const Story& story) {
  return fmt::format("{}\n\n{}\n{}", folded(gist(story), 0), ascii_timeline(story), narrate(story));
}

std::string dependence_text(const FreshFailure& failure) {
  if (failure.passes)
    return folded(
               "depends on earlier cases, or on more than what the target is asked: in a fresh process of the target "
               "this case passes, and no earlier case that was tried makes it fail. A reset has to leave an empty "
               "store.",
               0) +
           "\n\n";
  if (failure.earlier.empty()) return {};
  return folded(fmt::format("depends on earlier cases: in a fresh process of the target this case passes, after {} it "
                            "fails. A reset has to leave an empty store; this one keeps something of what was before.",
                            failure.earlier.size() == 1 ? "another" : counted(failure.earlier.size(), "other case")),
                0) +
         "\n\n";
}

}  // namespace mayfly
