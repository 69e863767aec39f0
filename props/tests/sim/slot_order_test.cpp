#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "mayfly/sim/engine/slot_runs.hpp"
#include "mayfly/sim/engine/slot_set.hpp"
#include "mayfly/sim/random.hpp"

namespace mayfly::test {

TEST_CASE("runs and bits list slots in the order of a sorted set, after any insertions and removals") {
  for (const std::uint64_t slots : {10U, 3'000U, 400'000U}) {
    Random random(slots);
    engine::SlotRuns runs;
    engine::SlotSet bits;
    std::set<engine::SlotId> sorted;
    for (int i = 0; i < 20'000; ++i) {
      const auto slot = static_cast<engine::SlotId>(random.below(slots));
      if (sorted.insert(slot).second) {
        runs.insert(slot);
        bits.insert(slot);
      } else if (random.one_in(2)) {
        sorted.erase(slot);
        runs.erase(slot);
        bits.erase(slot);
      }
      const auto from = static_cast<engine::SlotId>(random.below(slots));
      const auto next = sorted.lower_bound(from);
      REQUIRE(bits.next(from) == (next == sorted.end() ? engine::no_slot : *next));
      const auto run = runs.from(from);
      REQUIRE(run.empty() == (next == sorted.end()));
      REQUIRE(run.size() <= 256);
      REQUIRE(std::equal(run.begin(), run.end(), next));
    }
    CHECK(runs.size() == sorted.size());
    while (!sorted.empty()) {
      runs.erase(*sorted.begin());
      sorted.erase(sorted.begin());
    }
    CHECK(runs.empty());
  }
}

}  // namespace mayfly::test
