#pragma once

#include "mayfly/model/time.hpp"

namespace mayfly::rest {

/// The second that a wall clock shows. The one place that looks at one.
Instant wall_clock_second();

}  // namespace mayfly::rest
