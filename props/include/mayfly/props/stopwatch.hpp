#pragma once

#include "mayfly/sim/stopwatch.hpp"  // IWYU pragma: export: where benchmarks look for it
