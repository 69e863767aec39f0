#include "mayfly/props/verify.hpp"

#include <fmt/format.h>

#include "mayfly/props/campaign.hpp"
#include "mayfly/props/isolate.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/stopwatch.hpp"
#include "mayfly/sim/trace.hpp"

namespace mayfly {

namespace {

constexpr double most_seconds_of_shrinking = 20;

class Verification {
 public:
  Verification(Subject& subject, const VerifyOptions& options)
      : subject_(subject), options_(options), hunt_(options.seed, {.longest_case = options.longest_case}, subject) {}

  Verified run() { return options_.isolated ? elsewhere() : here(); }

 private:
  Verified elsewhere() {
    const CampaignPlan plan{.seed = options_.seed,
                            .shape = {.longest_case = options_.longest_case},
                            .jobs = options_.jobs,
                            .cases = options_.cases,
                            .most_seconds = std::numeric_limits<double>::infinity(),
                            .case_seconds = options_.case_seconds};
    const CampaignResult found = run_campaign(plan, subject_, nullptr, [](const CampaignResult&) { return false; });
    if (found.hits.empty()) return held(found.tally.operations());
    const Hit& hit = found.hits.front();
    auto refound = refind(hit, hunt_, options_.case_seconds);
    return refound ? broken(std::move(refound->failure)) : failed_once(hit);
  }

  Verified here() {
    for (std::uint64_t number = 0; number < options_.cases; ++number)
      if (auto failure = hunt_.try_case(number)) return broken(std::move(*failure));
    return held(hunt_.operations());
  }

  Verified held(std::uint64_t operations) const {
    return {.held = operations > 0,
            .told = fmt::format("{}: {}, {}", operations > 0 ? "held" : "nothing checked",
                                counted(options_.cases, "case"), counted(operations, "operation"))};
  }

  Verified broken(Failure failure) {
    const std::size_t before = failure.test_case.steps.size();
    const Minimised minimised = shrunk(std::move(failure));
    const Failure& smallest = minimised.failure;
    return {.told = fmt::format("the {} breaks \"{}\"\nshrunk from {} to {}{}\n\n{}", subject_.name(),
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
  Verified failed_once(const Hit& hit) const {
    const Property& same_again = all_properties().back();
    return {.told = fmt::format("the {} breaks \"{}\"\ncase {} {}, but not when it was run again on its own",
                                subject_.name(), same_again.name, hit.number,
                                hit.crash.empty() ? "failed after others" : hit.crash),
            .trace = trace_text(hunt_.case_of(hit.number)),
            .property = std::string(same_again.name)};
  }

  Subject& subject_;
  const VerifyOptions& options_;
  Hunt hunt_;
};

}  // namespace

Verified verify(Subject& subject, const VerifyOptions& options) { return Verification(subject, options).run(); }

}  // namespace mayfly
