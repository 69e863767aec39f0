#include "violation.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "mayfly/sim/json.hpp"
#include "mayfly/sim/trace.hpp"
#include "output_file.hpp"

namespace mayfly::app {

std::string save_trace(const Failure& failure, const std::string& path) {
  const std::string place = path.empty() ? "mayfly-violation.jsonl" : path;
  try {
    write_whole(place, trace_text(failure.test_case));
    return place;
  } catch (const InputError& error) {
    fmt::print(stderr, "mayfly: the trace is not saved: {}\n", error.what());
    return {};
  }
}

std::string replay_hint(const std::string& saved) {
  return saved.empty() ? "" : fmt::format("saved as {}; replay it with: mayfly replay {}\n", saved, saved);
}

boost::json::object json_violation(const Failure& failure, const std::string& store, const std::string& saved) {
  boost::json::array trace;
  trace.push_back(to_json(Reset{failure.test_case.start}));
  for (const auto& operation : failure.test_case.operations) trace.push_back(to_json(operation));
  const auto& [step, operation, exchange] = failure.violation;
  return {{"store", store},
          {"property", failure.property->name},
          {"trace", std::move(trace)},
          {"file", saved},
          {"step", step},
          {"request", to_json(operation)},
          {"expected", to_json(exchange.expected.answer)},
          {"actual", to_json(exchange.actual)}};
}

}  // namespace mayfly::app
