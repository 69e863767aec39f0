#pragma once

#include <span>

#include "mayfly/props/property/property.hpp"

namespace mayfly {

/// Every property: agreement first, then the laws, which a store must satisfy independently of the reference.
std::span<const Property> all_properties();

inline const Property& agrees_unwatched() { return all_properties()[0]; }
inline const Property& agrees_watched() { return all_properties()[1]; }
inline std::span<const Property> laws() { return all_properties().subspan(2); }

}  // namespace mayfly
