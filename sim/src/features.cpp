#include "mayfly/sim/features.hpp"

#include <algorithm>
#include <concepts>

namespace mayfly {

namespace {

DefinesCollection* definition_in(Operation& operation) {
  if (auto* create = std::get_if<CreateCollection>(&operation)) return create;
  return std::get_if<ReplaceCollection>(&operation);
}

struct Need {
  Feature operator()(const PatchDocument&) const { return &Features::patch; }
  Feature operator()(const Purge&) const { return &Features::purge; }
  Feature operator()(const Held&) const { return &Features::held; }
  Feature operator()(const Count&) const { return &Features::count; }
  Feature operator()(const Index&) const { return &Features::lazy; }
  Feature operator()(const std::derived_from<DefinesCollection> auto& o) const {
    return o.definition.indexing == Indexing::lazy ? &Features::lazy : nullptr;
  }
  Feature operator()(const auto&) const { return nullptr; }
};

}  // namespace

Feature need_of(const Operation& operation) { return std::visit(Need{}, operation); }

bool can_run(const Features& features, const Case& test_case) {
  return std::all_of(test_case.steps.begin(), test_case.steps.end(), [&](const Step& step) {
    const auto* advance = std::get_if<Advance>(&step.operation);
    return has(features, need_of(step.operation)) && (!advance || advance->seconds <= features.longest_step);
  });
}

Case within(const Features& features, Case test_case) {
  if (features == Features{}) return test_case;
  const auto is_lacking = [&](Step& step) {
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
