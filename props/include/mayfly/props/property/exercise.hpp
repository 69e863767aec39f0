#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/props/property/decisive.hpp"
#include "mayfly/props/property/property.hpp"

// Which rules a case exercises: those that a store could be seen to break in it.
//
// Some rules decide an answer, and a wrong answer shows at once. Others decide what an operation does to documents:
// what a change of the settings expires, that a purge or a rejected write leaves a document alone. These count only
// once the document is seen again, by a request of the case or by what is observed after each operation. What takes two
// runs to see (P1, R1, R2) is left to the laws.

namespace mayfly {

class Exercise {
 public:
  /// The rules that a wrong answer to this operation, or to what is observed after it, would show to be broken. Call it
  /// for every operation of a case in turn. Requires that `before` has been settled at `now`.
  RuleSet rules_at(const ReferenceStore& before, Instant now, const Operation& operation, bool is_observed);

 private:
  /// What earlier operations did to a document that was not seen since.
  struct Effects {
    RuleSet rules;
    std::optional<Instant> older_part;  ///< when the part was written that a patch left as it was
  };

  void add_effects(const ReferenceStore& before, Instant now, const Operation& operation);
  RuleSet seen_by(const ReferenceStore& before, Instant now, const Operation& operation);
  RuleSet seen_by_all(const ReferenceStore& before, Instant now);

  std::map<DocumentKey, Effects> pending_;
};

/// The rules that agreement exercises at each operation of a case, as the reference goes through it.
std::vector<RuleSet> exercised_steps(const Case& test_case, Watch watch);

/// Of a law: those of its rules that decide something in the case which it varies.
RuleSet exercised_by_law(const Property& property, const Case& test_case);

/// What the store lacks for the rule to mean anything, as "it has no purge"; nothing if it lacks nothing.
std::string lacking(Rule rule, const Features& features);

/// The rules that this store cannot be seen to break.
RuleSet hidden_by(Subject& subject);

}  // namespace mayfly
