#include "mayfly/sim/features.hpp"

#include <algorithm>

#include "mayfly/sim/operation_info.hpp"

namespace mayfly {

namespace {

DefinesCollection* definition_in(Operation& operation) {
  if (auto* create = std::get_if<CreateCollection>(&operation)) return create;
  return std::get_if<ReplaceCollection>(&operation);
}

}  // namespace

Feature need_of(const Operation& operation) {
  const bool is_lazy = std::visit(
      [](const auto& o) {
        if constexpr (requires { o.definition; }) return o.definition.indexing == Indexing::lazy;
        return false;
      },
      operation);
  return is_lazy ? &Features::lazy : info_of(operation).needs;
}

bool is_within(const Limits& limits, const Case& test_case) {
  if (limits == Limits{}) return true;
  return std::all_of(test_case.steps.begin(), test_case.steps.end(),
                     [&](const Step& step) { return is_within(limits, step.operation); });
}

bool can_run(const Features& features, const Case& test_case) {
  if (!is_within(features.limits, test_case)) return false;
  return std::all_of(test_case.steps.begin(), test_case.steps.end(), [&](const Step& step) {
    const auto* advance = std::get_if<Advance>(&step.operation);
    return has(features, need_of(step.operation)) && (!advance || advance->seconds <= features.longest_step);
  });
}

Case within(const Features& features, Case test_case) {
  if (features == Features{}) return test_case;
  const bool has_limits = features.limits != Limits{};
  const auto is_lacking = [&](Step& step) {
    if (has_limits && !is_within(features.limits, step.operation)) return true;
    if (auto* advance = std::get_if<Advance>(&step.operation))
      advance->seconds = std::min(advance->seconds, features.longest_step);
    if (has(features, need_of(step.operation))) return false;
    auto* defines = definition_in(step.operation);
    if (defines) defines->definition.indexing = Indexing::consistent;
    return !defines;
  };
  std::erase_if(test_case.steps, is_lacking);
  return test_case;
}

}  // namespace mayfly
