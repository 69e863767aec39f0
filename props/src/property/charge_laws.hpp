#pragma once

#include "mayfly/props/property/property.hpp"

// The laws about request units.

namespace mayfly::law {

/// The case up to its last write that names a valid ttl; nothing of it if there is none.
Case up_to_a_write_with_ttl(const Case& test_case);

/// That write costs the same whatever its ttl, and without one (R2). Its life does not matter: nothing comes after it.
std::optional<Violation> check_ttl_costs_nothing(const Case& test_case, Subject& subject);

/// The case with consistent collections whose settings never change, and without patches.
Case with_fixed_settings(const Case& test_case);

/// Where documents are deleted in the second in which they would have expired, all else has the same answers and the
/// same price (R1).
std::optional<Violation> check_expiry_costs_nothing(const Case& test_case, Subject& subject);

}  // namespace mayfly::law
