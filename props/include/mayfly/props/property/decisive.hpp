#pragma once

#include <vector>

#include "mayfly/model/reference.hpp"
#include "mayfly/model/rule.hpp"
#include "mayfly/sim/operation.hpp"

namespace mayfly {

/// The collection and the document that an operation names, or null if they are not there.
struct Named {
  const ReferenceStore::Collection* collection = nullptr;
  const ReferenceStore::StoredDocument* stored = nullptr;

  Named(const ReferenceStore& before, const Operation& operation);

  /// The document unless it is expired.
  const ReferenceStore::StoredDocument* live() const { return stored && !stored->expired ? stored : nullptr; }
};

/// The rules that decide the answer or the effect of the operation, given the reference just before it. A rule is
/// decisive if a store that breaks it could show so: X1 in the two seconds around a deadline, X4 on a document that
/// only earlier settings expired, and so on. For explanations; exercise.hpp says which of these rules count as
/// exercised.
///
/// Requires that `before` has been settled at `now`.
RuleSet decisive_rules(const ReferenceStore& before, Instant now, const Operation& operation, const Named& named);
inline RuleSet decisive_rules(const ReferenceStore& before, Instant now, const Operation& operation) {
  return decisive_rules(before, now, operation, Named(before, operation));
}

/// The rules that decide the effect on a document of a change of its collection's settings.
RuleSet rules_of_change(Instant now, const Settings& from, const Settings& to,
                        const ReferenceStore::StoredDocument& document);

/// The decisive rules of each operation of a case, found by running the case on the reference.
std::vector<RuleSet> decisive_steps(const Case& test_case);

}  // namespace mayfly
