#pragma once

#include <vector>

#include "mayfly/model/reference.hpp"
#include "mayfly/sim/operation.hpp"

namespace mayfly {

/// The seconds of a store's clock in which a request may have been served, both included.
struct Window {
  Instant earliest;
  Instant latest;
};

/// What may be going on inside a store whose clock is known only roughly.
///
/// Each world is a reference store and the second in which it was asked last. A request takes every world to every
/// second of its window, and those stay whose answer is the store's. So a store is judged by what no reading of its
/// clock excuses, and by nothing else: one that conforms always has a world, and one that does not loses the last as
/// soon as its answers fit no sequence of seconds. Two worlds with the same documents have the same future, but for the
/// seconds that only the earlier one can still see: it stands for both, which keeps them few.
class PossibleWorlds {
 public:
  /// Whether the store may have answered this. If not there is no world any more, and every further answer is wrong.
  /// Requires that the operation is no advance, and that no window begins before the one before it.
  bool allow(const Operation& operation, const Window& window, const Outcome& answer);

  std::size_t size() const { return worlds_.size(); }

 private:
  struct World {
    Instant now;
    ReferenceStore store;
  };
  static void add(std::vector<World>& worlds, World world);

  std::vector<World> worlds_{1};
};

}  // namespace mayfly
