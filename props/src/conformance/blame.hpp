#pragma once

#include <optional>

#include "checks.hpp"
#include "mayfly/props/conformance/evidence.hpp"
#include "mayfly/props/property/failure.hpp"

namespace mayfly::conformance {

/// How often each rule is decisive in random cases: the rarer a rule, the more significant is a step for which it is
/// decisive.
class Rarity {
 public:
  explicit Rarity(std::uint64_t seed);

  /// The rarest of the rules; nothing if there is none.
  std::optional<Rule> rarest(RuleSet rules) const;

 private:
  RuleCounts counts_{};
};

/// A guess at the rule that a failure breaks, from this one case. The best guess are the rules of defects that explain
/// it. Next are the rules that decide the step and fit the difference: a wrong _ts or content points to writes, and a
/// document that both stores show does not point to expiry. Then any rule that decides the step. If none does, the
/// law's rules, or those that decide any earlier step. Of these the rarest.
std::optional<Rule> blamed_rule(Evidence& evidence, const Failure& failure, const Rarity& rarity);

}  // namespace mayfly::conformance
