#pragma once

#include <rapidcheck/Gen.h>

#include "mayfly/props/generate.hpp"

// The front to RapidCheck.

namespace mayfly {

/// The case with our ways to shrink it.
rc::Shrinkable<Case> shrinkable(Case test_case);

/// Cases by our generator, from one draw each.
rc::Gen<Case> cases(const Shape& shape);

}  // namespace mayfly
