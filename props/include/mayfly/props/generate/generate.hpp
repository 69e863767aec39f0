#pragma once

#include <cstdint>

#include "mayfly/props/generate/world.hpp"
#include "mayfly/sim/operation.hpp"

namespace mayfly {

/// The case of this world that belongs to a seed: the same on every machine and compiler.
///
/// Cases are made to reach what matters: few names, so that they collide; clock steps that land one second before, on
/// and after the deadline of a document that is there; defaults that put such a deadline right here; edge values of
/// every kind, invalid ones included; start times at the edges of 31 and 32 bits.
Case generate(std::uint64_t seed, const World& world);

}  // namespace mayfly
