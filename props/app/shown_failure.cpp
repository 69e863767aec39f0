#include "shown_failure.hpp"

#include <fmt/format.h>

#include "interrupt.hpp"
#include "mayfly/props/property/check.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/run/batches.hpp"
#include "mayfly/sim/json.hpp"

namespace mayfly::app {

// A story sends its requests one by one, so it cannot show what fails only in a batch.
ShownFailure show_failure(const Failure& failure, Subject& subject) {
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
  } catch (const StoreFailure&) {  // the failure has changed: the story shows what happens now
  }
  return {tell_story(failure, subject), {}};
}

std::string text_of(const Story& story, const std::string& trace) {
  const bool is_cut_short = is_interrupted() && story.steps.back().crash.starts_with("was cancelled");
  return is_cut_short ? fmt::format("not shown step by step, because of the interrupt:\n{}", trace) : full_text(story);
}

}  // namespace mayfly::app
