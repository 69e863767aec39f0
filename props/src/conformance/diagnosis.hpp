#pragma once

#include <set>

#include "examiner.hpp"
#include "mayfly/props/generate/generate.hpp"
#include "mayfly/sim/random.hpp"

namespace mayfly::conformance {

/// Random cases of one seed, one after the other. A copy of it has the same ones ahead.
class CaseSource {
 public:
  CaseSource(std::uint64_t seed, const World& world) : random_(seed), world_(world) {}
  Case next() { return generate(random_.next(), world_); }

 private:
  Random random_;
  World world_;
};

/// Finds out what is wrong with a store: where several known defects explain the same failure, the store is asked what
/// tells them apart.
class Diagnosis {
 public:
  Diagnosis(Examiner& examiner, CaseSource& source) : examiner_(examiner), source_(source) {}

  /// FullObservation at what was observed since. True if it knows of more than before.
  bool update();

  const std::vector<Explanation>& explanations() const { return explanations_; }

  /// The case up to where a known defect would show in it: nothing of it, if a law would not hold.
  Case before_the_known(const Property& property, Case test_case);

 private:
  void confirm();
  void tell_apart();
  bool tell_apart(Defect a, Defect b);
  std::optional<Question> next_that_tells_apart(Defect a, Defect b, int& tried);
  bool are_rivals(Defect a, Defect b);

  Examiner& examiner_;
  CaseSource& source_;
  std::size_t seen_ = 0;
  std::vector<Explanation> explanations_;
  std::set<std::pair<Defect, Defect>> same_;  ///< as far as could be found out
  std::set<Defect> confirmed_;                ///< those that were asked for
};

/// The properties that can tell whether a store keeps the rule.
std::vector<const Property*> properties_for(Rule rule);

/// What was found, each with a shortest case that shows it, by rule.
struct Found {
  std::vector<Finding> findings;
  std::uint64_t not_investigated = 0;  ///< further cases that failed
  RuleSet undecided;                   ///< the rules that decide where those failed
};
Found findings_of(Examiner& examiner, const Diagnosis& diagnosis);

}  // namespace mayfly::conformance
