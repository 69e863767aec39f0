#include "mayfly/props/report/result.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/report/narrate.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/json.hpp"

namespace mayfly {

const std::string_view program_version = MAYFLY_VERSION;

std::size_t add(std::vector<ReportedFinding>& all, ReportedFinding finding) {
  const auto same =
      std::find_if(all.begin(), all.end(), [&](const auto& other) { return other.trace == finding.trace; });
  const auto place = static_cast<std::size_t>(same - all.begin());
  if (same == all.end())
    all.push_back(std::move(finding));
  else
    same->times += finding.times;
  return place;
}

ReportedFinding reported(const Failure& failure, const std::string& store) {
  const auto& [step, operation, exchange, crash] = failure.violation;
  ReportedFinding finding{.store = store,
                          .property = std::string(failure.property->name),
                          .headline = fmt::format("the {} breaks \"{}\"", store, failure.property->name),
                          .deciding = deciding_rules(failure),
                          .failure = {{"step", step}, {"request", to_json(operation)}}};
  if (!crash.empty()) {
    finding.failure["crash"] = crash;
  } else {
    finding.failure["expected"] = to_json(exchange.expected.answer);
    finding.failure["actual"] = to_json(exchange.actual);
  }
  return finding;
}

std::string gist_of(const ReportedFinding& finding) {
  const auto* gist = finding.story.if_contains("gist");
  return gist ? std::string(gist->as_string()) : finding.headline;
}

std::string replay_command(const Result& result, const std::string& file) {
  return fmt::format("{} replay {}{}", result.program, quoted(file), result.access);
}

}  // namespace mayfly
