#pragma once

#include <set>

#include "checker.hpp"
#include "mayfly/props/generate/generate.hpp"
#include "mayfly/sim/random.hpp"

namespace mayfly::conformance {

/// A sequence of random cases of one seed. A copy continues with the same cases.
class CaseSource {
 public:
  CaseSource(std::uint64_t seed, const World& world) : random_(seed), world_(world) {}
  Case next() { return generate(random_.next(), world_); }

 private:
  Random random_;
  World world_;
};

/// Finds the planted defects that explain a store's failures. If several explain the same failure, runs cases on the
/// store that distinguish them.
class Diagnosis {
 public:
  Diagnosis(Checker& checker, CaseSource& source) : checker_(checker), source_(source) {}

  /// Takes new observations into account. True if there are more explanations than before.
  bool update();

  const std::vector<Explanation>& explanations() const { return explanations_; }

  /// The case up to the step at which a known defect would show; empty if that is a violation of a law.
  Case before_the_known(const Property& property, Case test_case);

 private:
  void confirm();
  void tell_apart();
  bool tell_apart(Defect a, Defect b);
  std::optional<Question> next_that_tells_apart(Defect a, Defect b, int& tried);
  bool are_rivals(Defect a, Defect b);

  Checker& checker_;
  CaseSource& source_;
  std::size_t seen_ = 0;
  std::vector<Explanation> explanations_;
  std::set<std::pair<Defect, Defect>> same_;  ///< pairs that no case could distinguish
  std::set<Defect> confirmed_;                ///< defects whose shortest case was run
};

/// The properties that can show whether a store keeps the rule.
std::vector<const Property*> properties_for(Rule rule);

/// The findings by rule, each with a shortest case that shows it, and the failures that were not investigated.
struct Investigation {
  std::vector<Finding> findings;
  std::uint64_t not_investigated = 0;  ///< further failed cases
  RuleSet undecided;                   ///< the rules that decide the failing steps of those
};
Investigation findings_of(Checker& checker, const Diagnosis& diagnosis);

}  // namespace mayfly::conformance
