#pragma once

#include <vector>

#include "mayfly/model/reference.hpp"
#include "mayfly/model/rule.hpp"
#include "mayfly/sim/operation.hpp"

namespace mayfly {

/// The rules that decide what the operation answers or does, seen from the reference just before it. A rule is decisive
/// where a store that broke it could show so: X1 in the two seconds around a deadline, X4 on a document that only
/// earlier settings expired, and so on. For explanations; exercise.hpp says which of them count as exercised.
///
/// Requires that `before` has been settled at `now`.
RuleSet decisive_rules(const ReferenceStore& before, Instant now, const Operation& operation);

/// The rules that decide what a change of its collection's settings does to a document.
RuleSet rules_of_change(Instant now, const Settings& from, const Settings& to,
                        const ReferenceStore::StoredDocument& document);

/// The rules that are decisive for each operation of a case, as the reference goes through it.
std::vector<RuleSet> decisive_steps(const Case& test_case);

}  // namespace mayfly
