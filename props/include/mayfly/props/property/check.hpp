#pragma once

#include "mayfly/props/property/property.hpp"
#include "mayfly/props/property/tally.hpp"

namespace mayfly {

/// Whether the store has what the property needs, and what the case asks for.
bool is_for(Subject& subject, const Property& property, const Case& test_case);

/// Checks a property; counts what it exercised, if asked to. A store in another process is asked the whole case at once
/// if it takes batches, and its failing to answer is a violation at the last operation. What is not for the store
/// holds.
std::optional<Violation> check(const Property& property, const Case& test_case, Subject& subject,
                               Tally* tally = nullptr);

}  // namespace mayfly
