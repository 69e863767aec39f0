#pragma once

#include "mayfly/props/property/property.hpp"

// The laws about request units.

namespace mayfly::law {

/// The case up to its last write with a valid ttl; empty if there is none.
Case up_to_a_write_with_ttl(const Case& test_case);

/// That write costs the same with any ttl, and without one (R2). Its lifetime does not matter, because nothing follows
/// it.
std::optional<Violation> check_ttl_costs_nothing(const Case& test_case, Subject& subject);

/// The case with consistent collections whose settings never change, and without patches.
Case with_fixed_settings(const Case& test_case);

/// If documents are deleted in the second in which they would have expired, all other requests have the same answers
/// and charges (R1).
std::optional<Violation> check_expiry_costs_nothing(const Case& test_case, Subject& subject);

}  // namespace mayfly::law
