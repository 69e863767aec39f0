#include "violation.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "interrupt.hpp"
#include "mayfly/props/batches.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/json.hpp"
#include "output_file.hpp"

namespace mayfly::app {

bool write_or_say(const std::string& path, std::string_view text) {
  try {
    write_whole(path, text);
    return true;
  } catch (const InputError& error) {
    fmt::print(stderr, "mayfly: {}\n", error.what());
    return false;
  }
}

std::string replay_command(const std::string& program, const std::string& saved, const std::string& access) {
  return fmt::format("{} replay {}{}", program, quoted(saved), access);
}

std::string replay_hint(const std::string& program, const std::string& saved, const std::string& access) {
  if (saved.empty()) return {};
  return fmt::format("saved as {}; replay it with: {}\n", saved, replay_command(program, saved, access));
}

// The story asks step by step, so that it does not show what goes wrong in a batch only.
ToldFailure tell_failure(const Failure& failure, Subject& subject) {
  RemoteSubject* remote = subject.remote();
  const bool may_differ = remote && subject.features().batch && failure.violation.crash.empty();
  try {
    const auto difference = may_differ ? batch_difference(failure.test_case, *remote) : std::nullopt;
    if (difference) {
      AskedOneByOne alone(*remote);
      const bool fails_alone = check(*failure.property, failure.test_case, alone).has_value();
      AskedInBatches in_batches(failure.test_case, *remote);
      return {tell_story(failure, fails_alone ? subject : in_batches),
              fmt::format("asked in a batch it answers {}\nalone                    {}\nto {}\n\n",
                          to_line(to_json(difference->in_batch)), to_line(to_json(difference->alone)),
                          to_line(to_json(difference->operation)))};
    }
  } catch (const StoreFailure&) {  // which it did not do before: the story tells
  }
  return {tell_story(failure, subject), {}};
}

std::string text_of(const Story& story, const std::string& trace) {
  const bool is_cut_short = is_interrupted() && story.steps.back().crash.starts_with("was cancelled");
  return is_cut_short ? fmt::format("not shown step by step, because of the interrupt:\n{}", trace) : full_text(story);
}

boost::json::object json_violation(const Failure& failure, const std::string& store, const std::string& saved) {
  boost::json::array trace;
  trace.push_back(to_json(Reset{failure.test_case.start}));
  for (const auto& step : failure.test_case.steps) trace.push_back(to_json(step.operation));
  const auto& [step, operation, exchange, crash] = failure.violation;
  boost::json::object violation{
      {"store", store}, {"property", failure.property->name}, {"trace", std::move(trace)}, {"file", saved},
      {"step", step},   {"request", to_json(operation)}};
  if (crash.empty()) {
    violation["expected"] = to_json(exchange.expected.answer);
    violation["actual"] = to_json(exchange.actual);
  } else {
    violation["crash"] = crash;
  }
  return violation;
}

}  // namespace mayfly::app
