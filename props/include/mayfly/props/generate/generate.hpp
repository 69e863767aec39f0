#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "mayfly/sim/operation.hpp"

namespace mayfly {

/// What cases are like. The shares of the strategies follow what they yield on the planted defects, each searched from
/// 15 seeds; median operations to the catch, geometric mean of all / nine in ten of them at most:
///
///     boundary        0 %          30 %          55 %          80 %
///     swarm   0 %   188 / 1,139   196 /   992   196 /   889   196 /   967
///     swarm  50 %   203 / 1,373   195 / 1,204   194 /   947   205 /   901
///     swarm 100 %   220 / 1,346   201 / 1,049   210 / 1,246   228 / 1,207
///
/// So about half of the steps aim, and a quarter of the cases is swarm: it costs little, and reaches longer runs of one
/// kind of operation than these defects need.
struct World {
  std::size_t longest_case = 2'000;   ///< operations, at least one
  std::size_t usual_case = 100;       ///< operations, at least one: most cases have no more
  std::uint64_t one_is_long_in = 64;  ///< cases: of these, one has more than is usual, and mostly writes
  unsigned swarm = 25;                ///< percent of cases in which some kinds of operation are left out
  unsigned boundary = 55;  ///< percent of clock steps that aim at a deadline, and of defaults that put one here
  std::int64_t longest_step = std::numeric_limits<std::int64_t>::max();  ///< of the clock; most ttls are no longer
};

/// The case that belongs to a seed: the same on every machine and compiler.
///
/// Cases are made to reach what matters: few names, so that they collide; clock steps that land one second before, on
/// and after the deadline of a document that is there; defaults that put such a deadline right here; edge values of
/// every kind, invalid ones included; start times at the edges of 31 and 32 bits.
Case generate(std::uint64_t seed, const World& world);

}  // namespace mayfly
