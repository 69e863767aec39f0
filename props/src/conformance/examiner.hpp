#pragma once

#include <vector>

#include "blame.hpp"
#include "mayfly/props/conformance/conformance.hpp"
#include "mayfly/props/conformance/evidence.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/shrink/minimise.hpp"

namespace mayfly::conformance {

/// What was kept of a list of questions.
struct Examined {
  std::size_t first = 0;  ///< the number of the first observation
  std::size_t count = 0;
  bool has_failure = false;  ///< the last one
};

/// Tries cases on a store, and keeps what came of it. A store that crashes is not asked for the same again: what it
/// died of is left out of further cases, and if that does not help, it is left alone.
class Examiner {
 public:
  Examiner(const ConformancePlan& plan, Subject& subject, const Runner& ask)
      : plan_(plan), ask_(ask), features_(subject.features()), rarity_(plan.seed), evidence_(subject) {}

  /// Tries the questions of a list until one of them fails, and keeps all that was answered, in their order. Requires
  /// that they can be examined.
  Examined examine(const Questions& next);

  /// Tries a case, if it can be examined. Whether it was.
  bool examine(const Property& property, const Case& test_case);

  /// Whether the store has what it takes, and is not known to die of it.
  bool can_examine(const Question& question) const;

  /// The case without what the store lacks or dies of.
  Case within_reach(Case test_case) const;

  bool is_over() const { return has_given_up_ || is_stopped(); }
  bool is_stopped() const { return plan_.stop(); }
  bool has_given_up() const { return has_given_up_; }
  double seconds_of_shrinking() const { return plan_.shrinking; }

  const Runner& ask() const { return ask_; }
  const Features& features() const { return features_; }
  const Rarity& rarity() const { return rarity_; }
  Evidence& evidence() { return evidence_; }
  /// What it died of, one for each rule that is to blame, cut off at the crash but not shrunk.
  const std::vector<Finding>& crashes() const { return crashes_; }
  const RuleCounts& checks() const { return checks_; }

  /// How the observation ended in a crash, if it did.
  const Finding* crash_of(std::size_t observation) const;

 private:
  /// What the store dies of: operations of this kind, that this rule decides, that say this ttl.
  struct Deadly {
    std::size_t kind = 0;
    std::optional<Rule> rule{};
    std::optional<TtlField> ttl{};
    bool operator==(const Deadly&) const = default;
  };

  void keep(Question question, std::optional<Violation> violation);
  void look_into_crash(std::size_t observation);
  void add_crash(std::size_t observation, Failure failure, std::optional<Rule> rule);
  void leave_out(const Deadly& crash, const Property& property);

  const ConformancePlan& plan_;
  const Runner& ask_;
  Features features_;
  Rarity rarity_;
  Evidence evidence_;
  RuleCounts checks_{};
  std::vector<Finding> crashes_;
  std::vector<std::pair<std::size_t, std::size_t>> crashed_;  ///< observation, and place of its finding
  std::vector<Deadly> deadly_;
  std::vector<const Property*> deadly_properties_;
  bool has_given_up_ = false;
};

/// Makes the failing case as simple as it gets, in so many runs, as long as that may take.
Minimised minimise_within(Failure failure, const Runner& runner, std::size_t most_runs, double most_seconds);

}  // namespace mayfly::conformance
