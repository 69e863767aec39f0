#include "mayfly/props/report/result.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/json.hpp"

namespace mayfly {

Result new_result(std::string command) {
  Result result;
  result.command = std::move(command);
  result.mayfly_version = MAYFLY_VERSION;
  return result;
}

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

boost::json::object failure_json(const Failure& failure) {
  const auto& [step, operation, exchange, crash] = failure.violation;
  boost::json::object object{{"step", step}, {"request", to_json(operation)}};
  if (crash.empty()) {
    object["expected"] = to_json(exchange.expected.answer);
    object["actual"] = to_json(exchange.actual);
  } else {
    object["crash"] = crash;
  }
  return object;
}

std::string replay_command(const Result& result, const std::string& file) {
  return fmt::format("{} replay {}{}", result.program, quoted(file), result.access);
}

}  // namespace mayfly
