#pragma once

#include <span>

#include "mayfly/props/property/property.hpp"

namespace mayfly {

/// Every property: agreement first, then the laws, which must hold of a store whatever the reference says.
std::span<const Property> all_properties();

inline const Property& agrees_unwatched() { return all_properties()[0]; }
inline const Property& agrees_watched() { return all_properties()[1]; }
inline std::span<const Property> laws() { return all_properties().subspan(2); }

}  // namespace mayfly
