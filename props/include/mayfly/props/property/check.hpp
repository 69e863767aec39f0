#pragma once

#include "mayfly/props/property/property.hpp"
#include "mayfly/props/property/tally.hpp"

namespace mayfly {

/// Whether the store has the features that the property and the case need.
bool is_for(Subject& subject, const Property& property, const Case& test_case);

/// Checks a property on a case, and counts the exercised rules in `tally`, unless it is null. A store in another
/// process gets the whole case at once if it takes batches; its failure to answer is a violation at the last operation.
/// The property counts as held if the store lacks a feature that the check needs.
std::optional<Violation> check(const Property& property, const Case& test_case, Subject& subject,
                               Tally* tally = nullptr);

}  // namespace mayfly
