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
#include "mayfly/props/report/fold.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/json.hpp"

namespace mayfly {

namespace {

constexpr std::string_view step_indent = "              ";
constexpr std::size_t most_differences = 10;
constexpr std::ptrdiff_t most_in_common = 4;
constexpr std::size_t longest_block = 3;

// Charges belong to each store alone: they are shown only where they are what differs.
std::string answer_text(Outcome outcome, bool with_charge) {
  if (!with_charge) outcome.charge.reset();
  return to_line(to_json(outcome));
}

/// Removes the documents that both answers show, if there are many. Returns their number.
std::size_t leave_out_common(Outcome& expected, Outcome& actual) {
  if (!expected.documents || !actual.documents) return 0;
  const auto is_in = [](const std::vector<Document>& all, const Document& document) {
    return std::find(all.begin(), all.end(), document) != all.end();
  };
  const auto shown = *actual.documents, right = *expected.documents;
  const auto count = std::count_if(shown.begin(), shown.end(), [&](const auto& d) { return is_in(right, d); });
  if (count <= most_in_common) return 0;
  std::erase_if(*actual.documents, [&](const auto& document) { return is_in(right, document); });
  std::erase_if(*expected.documents, [&](const auto& document) { return is_in(shown, document); });
  return static_cast<std::size_t>(count);
}

std::string shown_answer(Outcome outcome, bool with_charge, std::size_t in_common) {
  if (!with_charge) outcome.charge.reset();
  auto answer = to_json(outcome);
  if (in_common > 0) answer["shown_by_both"] = in_common;
  return shown_value(answer);
}

/// How the store died, marked, and below that its last output.
std::string crash_lines(const std::string& crash) {
  std::istringstream lines(crash);
  std::string line, text;
  while (std::getline(lines, line))
    text += text.empty() ? fmt::format("{}   <-- differs\n", line) : fmt::format("{}  {}\n", step_indent, line);
  return text;
}

/// What the rules allow besides the answer.
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
  return shown_value(rest);
}

}  // namespace

AnswerTexts answers_of(const StoryStep& step) {
  const bool is_compared = step.differs() && step.crash.empty();
  Outcome expected = step.exchange.expected.answer, actual = step.exchange.actual;
  const bool with_charge = is_compared && answer_text(expected, false) == answer_text(actual, false);
  const std::size_t in_common = is_compared ? leave_out_common(expected, actual) : 0;
  return {shown_answer(std::move(expected), with_charge, in_common), allowance_of(step),
          step.crash.empty() ? shown_answer(std::move(actual), with_charge, in_common) : step.crash};
}

std::string narrate(const StoryStep& step, const std::string& store) {
  const std::string asked = step.times == 1 ? shown_value(to_json(step.operation)) : in_words(step);
  if (step.kind == StoryStep::Kind::law)
    return fmt::format("\nWhat the law compares, at the request\n{}{}\n{}", step_indent, asked,
                       difference(step, "the law demands", store));
  const std::string why = step.rules.empty() ? "" : fmt::format("  [{}]", ids_of(step.rules));
  const std::string text = fmt::format("{:>12}  {}{}\n", step.now.time_since_epoch().count(), asked, why);
  if (step.differs()) return text + difference(step, "reference", store);
  const std::string answer = step.times == 1
                                 ? answers_of(step).actual
                                 : fmt::format("each {{\"status\":{}}}", static_cast<int>(step.exchange.actual.status));
  return text + fmt::format("{}{}\n", step_indent, answer);
}

namespace {

/// Steps that are repeated, at whatever second.
struct Block {
  std::size_t period;
  std::size_t times;
};

bool is_asked_again(const StoryStep& step, const StoryStep& later) {
  return !step.differs() && !later.differs() && step.times == later.times && step.operation == later.operation &&
         step.last_operation() == later.last_operation() && step.exchange.actual.status == later.exchange.actual.status;
}

Block block_at(const std::vector<StoryStep>& steps, std::size_t begin) {
  Block longest{1, 1};
  for (std::size_t period = 1; period <= longest_block; ++period) {
    std::size_t end = begin + period;
    while (end < steps.size() && is_asked_again(steps[end - period], steps[end])) ++end;
    const std::size_t times = (end - begin) / period;
    if (times > most_unfolded && times * period > longest.times * longest.period) longest = {period, times};
  }
  return longest;
}

std::string more_times(std::size_t period, std::size_t times, Instant until) {
  const std::string what = period == 1 ? "the same" : fmt::format("the same {} steps", period);
  return fmt::format("{}... {} {}, until second {}\n", step_indent, what, counted(times - 1, "more time"),
                     until.time_since_epoch().count());
}

}  // namespace

std::string narrate_documents(const Story& story) {
  auto documents = story.documents;
  std::sort(documents.begin(), documents.end(),
            [](const auto& a, const auto& b) { return comes_before(a.key, b.key); });
  std::vector<DocumentKey> keys;
  std::vector<std::string> differences;
  for (const auto& [key, expected, actual] : documents) {
    keys.push_back(key);
    differences.push_back(
        fmt::format("reference {}, {} {}", shown(expected, actual), story.store, shown(actual, expected)));
  }
  const auto runs = runs_of_keys(keys, [&](std::size_t at) { return differences[at - 1] == differences[at]; });
  std::string text;
  std::size_t left = documents.size();
  for (const auto& [begin, end] : std::span(runs).first(std::min(runs.size(), most_differences))) {
    text += fmt::format("{}visible at {}: {}\n", step_indent, label_of(keys[begin], keys[end - 1], end - begin),
                        differences[begin]);
    left -= end - begin;
  }
  if (left > 0) text += fmt::format("{}and {}\n", step_indent, counted(left, "more document"));
  return text;
}

std::string narrate(const Story& story) {
  std::string text =
      story.left_out > 0 ? fmt::format("{}after {}\n", step_indent, counted(story.left_out, "step")) : "";
  for (std::size_t at = 0; at < story.steps.size();) {
    const auto [period, times] = block_at(story.steps, at);
    for (std::size_t i = 0; i < period; ++i) text += narrate(story.steps[at + i], story.store);
    at += period * times;
    if (times > 1) text += more_times(period, times, story.steps[at - 1].now);
  }
  return text + narrate_documents(story);
}

std::string violation_text(const Failure& failure, const std::string& store) {
  const auto& [step, operation, exchange, crash] = failure.violation;
  const auto& steps = failure.test_case.steps;
  const bool is_of_the_case = step < steps.size() && steps[step].operation == operation;
  const auto kind = failure.property->is_agreement() ? StoryStep::Kind::request : StoryStep::Kind::law;
  const AnswerTexts answers = answers_of({.kind = kind, .operation = operation, .exchange = exchange, .crash = crash});
  return fmt::format("the {} breaks \"{}\"\n{:<10}{}\nexpected  {}{}{}\nanswered  {}", store, failure.property->name,
                     is_of_the_case ? "asked" : "observed", shown_value(to_json(operation)), answers.expected,
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
