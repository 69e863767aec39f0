#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/props/property/decisive.hpp"
#include "mayfly/props/property/property.hpp"
#include "mayfly/sim/full_observation.hpp"

// The rules that a case exercises: those that a store could visibly break in it.
//
// Some rules decide an answer, and a wrong answer shows at once. Others decide the effect of an operation on documents:
// which of them a change of the settings expires, or that a purge or a rejected write leaves a document alone. These
// count only once a later request of the case, or an observation after an operation, shows the document. Rules that
// only two runs can show (P1, R1, R2) are left to the laws.

namespace mayfly {

class Exercise {
 public:
  /// The rules of which a wrong answer to this operation would show a violation. Call it for every operation of a case
  /// in turn. Requires that `before` has been settled at `now`.
  RuleSet rules_at(const ReferenceStore& before, Instant now, const Operation& operation);

  /// The same of the observation after it. Requires that `after` has been settled at `now`.
  RuleSet rules_shown(const FullObservation& observation, const ReferenceStore& after, Instant now);

 private:
  /// Effects of earlier operations on a document that no later request has shown.
  struct Effects {
    RuleSet rules;
    std::optional<Instant> older_part;  ///< the second in which the part was written that a patch left unchanged
  };

  using Pending = ReferenceStore::MapByIdentity<Effects>;

  void add_effects(const Named& named, Instant now, const Operation& operation, const DocumentKey& key);
  void add_effects(const ReferenceStore& before, Instant now, const Operation& operation, const Named& named);
  RuleSet seen_by(const Named& named, Instant now, const Operation& operation);
  static RuleSet see(const ReferenceStore::Collection& collection, const ReferenceStore::Identity& identity,
                     Effects& effects, Instant now, RuleSet seen, bool is_content_shown);

  std::map<std::string, Pending> pending_;  ///< by collection
};

/// The rules that agreement exercises at each operation of a case, found by running the case on the reference.
std::vector<RuleSet> exercised_steps(const Case& test_case, Watch watch);

/// For a law: those of its rules that decide something in the case that it varies.
RuleSet exercised_by_law(const Property& property, const Case& test_case);

/// The feature that the store lacks for the rule to apply, as in "it has no purge"; empty if it lacks none.
std::string lacking(Rule rule, const Features& features);

/// The rules that this store cannot visibly break.
RuleSet hidden_by(Subject& subject);

}  // namespace mayfly
