#include "mayfly/props/verify.hpp"

#include <sstream>

#include <fmt/format.h>

#include "mayfly/props/property/check.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/report/corpus.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/report/output_file.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/props/run/campaign.hpp"
#include "mayfly/props/run/isolate.hpp"
#include "mayfly/sim/stopwatch.hpp"
#include "mayfly/sim/trace.hpp"

namespace mayfly {

namespace {

constexpr double most_seconds_of_shrinking = 20;

/// A failure with how it was found.
Verified described(const Failure& failure, Subject& subject, const std::string& origin) {
  return {.text = fmt::format("the {} breaks \"{}\"\n{}\n{}", subject.name(), failure.property->name, origin,
                              full_text(tell_story(failure, subject))),
          .trace = trace_text(failure.test_case),
          .property = std::string(failure.property->name),
          .rules = deciding_rules(failure)};
}

class Verification {
 public:
  Verification(Subject& subject, const VerifyOptions& options)
      : subject_(subject), options_(options), search_(options.seed, worlds(), subject) {}

  Verified run() {
    if (auto failure = failure_in_corpus()) return std::move(*failure);
    Verified verified = options_.isolated ? elsewhere() : here();
    if (!options_.corpus.empty() && !verified.trace.empty())
      write_whole(path_in_corpus(options_.corpus, verified.trace), verified.trace);
    return verified;
  }

 private:
  std::optional<Verified> failure_in_corpus() {
    if (options_.corpus.empty()) return std::nullopt;
    ensure_corpus("corpus", options_.corpus);
    for (const auto& [name, file, trace] : read_corpus(options_.corpus))
      for (const auto& property : all_properties()) {
        const Case test_case = trace.without_expectations();
        auto violation = options_.isolated ? check_isolated(property, test_case, subject_, options_.case_seconds)
                                           : check(property, test_case, subject_);
        if (violation) return described({&property, test_case, std::move(*violation)}, subject_, file + "\n");
      }
    return std::nullopt;
  }

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
      if (auto failure = search_.check_case(number)) return broken(std::move(*failure));
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
    return described(
        minimised.failure, subject_,
        fmt::format("shrunk from {} to {}{}\n", before, counted(minimised.failure.test_case.steps.size(), "operation"),
                    minimised.is_minimal ? "" : ", stopped early"));
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

Verified replay(Subject& subject, const std::string& trace) {
  std::istringstream in(trace);
  const auto cases = read_trace(in, "trace");
  for (const auto& traced : cases)
    for (const auto& property : all_properties()) {
      const Case test_case = traced.without_expectations();
      if (auto violation = check(property, test_case, subject))
        return described({&property, test_case, std::move(*violation)}, subject, "");
    }
  return {.held = true, .text = fmt::format("held: {}", counted(cases.size(), "case"))};
}

}  // namespace mayfly
