#pragma once

#include <optional>

#include "checks.hpp"
#include "mayfly/props/conformance/evidence.hpp"
#include "mayfly/props/property/failure.hpp"

namespace mayfly::conformance {

/// How often each rule is decisive in random cases: the rarer, the more it says about a step that it is.
class Rarity {
 public:
  explicit Rarity(std::uint64_t seed);

  /// The rarest of them; nothing of none.
  std::optional<Rule> rarest(RuleSet rules) const;

 private:
  RuleCounts counts_{};
};

/// A guess at the rule that a failure breaks, from this one case. Rules of defects that explain it are the best guess;
/// then those that decide the step and go with what differs: a wrong _ts or content is about writes, and a document
/// that both show is not about expiry; then any that decides it; where none does, the law's, or those that decide any
/// step before. Of these the rarest.
std::optional<Rule> blamed_rule(Evidence& evidence, const Failure& failure, const Rarity& rarity);

}  // namespace mayfly::conformance
