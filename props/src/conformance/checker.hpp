#pragma once

#include <vector>

#include "blame.hpp"
#include "mayfly/props/conformance/conformance.hpp"
#include "mayfly/props/conformance/evidence.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/shrink/minimise.hpp"

namespace mayfly::conformance {

/// The observations made from a list of questions.
struct Checked {
  std::size_t first = 0;  ///< index of the first observation
  std::size_t count = 0;
  bool has_failure = false;  ///< whether the last observation is a failure
};

/// Runs cases on a store and keeps the results. After a crash, operations like the one that caused it are left out of
/// further cases; if the store keeps crashing, the checker gives up.
class Checker {
 public:
  Checker(const ConformancePlan& plan, Subject& subject, const Runner& ask)
      : plan_(plan), ask_(ask), features_(subject.features()), rarity_(plan.seed), evidence_(subject) {}

  /// Checks the questions of a list until one fails, and keeps the results in their order. Requires that the questions
  /// can be checked.
  Checked check_all(const Questions& next);

  /// Checks a case, if it can be checked. True if it was checked.
  bool check_one(const Property& property, const Case& test_case);

  /// Whether the store has the needed features, and is not known to crash on the question.
  bool can_check(const Question& question) const;

  /// The case without the operations that the store does not support or that crash it.
  Case within_reach(Case test_case) const;

  bool is_over() const { return has_given_up_ || is_stopped(); }
  bool is_stopped() const { return plan_.stop(); }
  bool has_given_up() const { return has_given_up_; }
  double seconds_of_shrinking() const { return plan_.shrinking; }

  const Runner& ask() const { return ask_; }
  const Features& features() const { return features_; }
  const Rarity& rarity() const { return rarity_; }
  Evidence& evidence() { return evidence_; }
  /// The crashes, one for each blamed rule, with cases that end at the crash but are not shrunk.
  const std::vector<Finding>& crashes() const { return crashes_; }
  const RuleCounts& checks() const { return checks_; }

  /// The crash in which the observation ended, or null.
  const Finding* crash_of(std::size_t observation) const;

 private:
  /// Operations that crash the store: of this kind, decided by this rule, with this ttl.
  struct CrashTrigger {
    std::size_t kind = 0;
    std::optional<Rule> rule{};
    std::optional<TtlField> ttl{};
    bool operator==(const CrashTrigger&) const = default;
  };

  void keep(Question question, std::optional<Violation> violation);
  void investigate_crash(std::size_t observation);
  void add_crash(std::size_t observation, Failure failure, std::optional<Rule> rule);
  void leave_out(const CrashTrigger& crash, const Property& property);

  const ConformancePlan& plan_;
  const Runner& ask_;
  Features features_;
  Rarity rarity_;
  Evidence evidence_;
  RuleCounts checks_{};
  std::vector<Finding> crashes_;
  std::vector<std::pair<std::size_t, std::size_t>> crashed_;  ///< observation, and index of its finding in `crashes_`
  std::vector<CrashTrigger> crash_triggers_;
  std::vector<const Property*> crashing_properties_;
  bool has_given_up_ = false;
};

/// Shrinks the failing case, in at most this many runs and this much time.
Minimised minimise_within(Failure failure, const Runner& runner, std::size_t most_runs, double most_seconds);

}  // namespace mayfly::conformance
