#include "mayfly/props/verify.hpp"

#include <fmt/format.h>

#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/props/run/campaign.hpp"
#include "mayfly/props/run/isolate.hpp"
#include "mayfly/sim/stopwatch.hpp"
#include "mayfly/sim/trace.hpp"

namespace mayfly {

namespace {

constexpr double most_seconds_of_shrinking = 20;

class Verification {
 public:
  Verification(Subject& subject, const VerifyOptions& options)
      : subject_(subject), options_(options), search_(options.seed, worlds(), subject) {}

  Verified run() { return options_.isolated ? elsewhere() : here(); }

 private:
  Verified elsewhere() {
    const CampaignPlan plan{.seed = options_.seed,
                            .worlds = worlds(),
                            .jobs = options_.jobs,
                            .cases = options_.cases,
                            .most_seconds = std::numeric_limits<double>::infinity(),
                            .case_seconds = options_.case_seconds};
    const CampaignResult found = run_campaign(plan, subject_, nullptr, [](const CampaignResult&) { return false; });
    if (found.failed_cases.empty()) return held(found.tally.operations());
    const FailedCase& failed = found.failed_cases.front();
    auto reproduced = reproduce(failed, search_, options_.case_seconds);
    return reproduced ? broken(std::move(reproduced->failure)) : failed_once(failed);
  }

  Worlds worlds() const { return options_.longest_case ? Worlds().up_to(*options_.longest_case) : Worlds(); }

  Verified here() {
    for (std::uint64_t number = 0; number < options_.cases; ++number)
      if (auto failure = search_.try_case(number)) return broken(std::move(*failure));
    return held(search_.operations());
  }

  Verified held(std::uint64_t operations) const {
    return {.held = operations > 0,
            .text = fmt::format("{}: {}, {}", operations > 0 ? "held" : "nothing checked",
                                counted(options_.cases, "case"), counted(operations, "operation"))};
  }

  Verified broken(Failure failure) {
    const std::size_t before = failure.test_case.steps.size();
    const Minimised minimised = shrunk(std::move(failure));
    const Failure& smallest = minimised.failure;
    return {.text = fmt::format("the {} breaks \"{}\"\nshrunk from {} to {}{}\n\n{}", subject_.name(),
                                smallest.property->name, before, counted(smallest.test_case.steps.size(), "operation"),
                                minimised.is_minimal ? "" : ", stopped early", narrate(smallest, subject_)),
            .trace = trace_text(smallest.test_case),
            .property = std::string(smallest.property->name),
            .rules = deciding_rules(smallest)};
  }

  Minimised shrunk(Failure failure) {
    const Stopwatch watch;
    const auto stop = [&] { return watch.seconds() > most_seconds_of_shrinking; };
    if (options_.isolated) return minimise_isolated(std::move(failure), subject_, options_.case_seconds, stop);
    return minimise(std::move(failure), subject_, stop);
  }

  // The store remembers something of other cases, or depends on more than what it is asked.
  Verified failed_once(const FailedCase& failed) const {
    const Property& same_again = all_properties().back();
    return {.text = fmt::format("the {} breaks \"{}\"\ncase {} {}, but not when it was run again on its own",
                                subject_.name(), same_again.name, failed.number,
                                failed.crash.empty() ? "failed after others" : failed.crash),
            .trace = trace_text(search_.case_of(failed.number)),
            .property = std::string(same_again.name)};
  }

  Subject& subject_;
  const VerifyOptions& options_;
  RandomSearch search_;
};

}  // namespace

Verified verify(Subject& subject, const VerifyOptions& options) { return Verification(subject, options).run(); }

}  // namespace mayfly
