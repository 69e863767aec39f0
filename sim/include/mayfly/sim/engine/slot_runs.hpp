#pragma once

#include <span>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "mayfly/sim/engine/filed.hpp"

// The slots of one partition in ascending order, so that a walk can go on from any of them. Most partitions hold a
// handful of documents (one user's sessions, say): those need no allocation of their own. A larger one is cut into
// runs, each of which may grow with their number: so to insert or erase moves about the square root of its slots at
// most.

namespace mayfly::engine {

class SlotRuns {
 public:
  /// Requires that it is not there.
  void insert(SlotId slot);

  /// Requires that it is there.
  void erase(SlotId slot);

  /// The slots from this one on, or the first of them; empty only if there is none.
  std::span<const SlotId> from(SlotId slot) const;

  bool empty() const { return first_.empty() && rest_.empty(); }
  std::size_t size() const;

 private:
  using Run = boost::container::small_vector<SlotId, 4>;

  struct FurtherRun {
    SlotId first = 0;  ///< it holds no slot before this one, and the runs before it none after
    Run slots;         ///< not empty
  };

  /// Which run the slot belongs to: 0 is the first, the others follow.
  std::size_t run_of(SlotId slot) const;
  Run& run(std::size_t number) { return number == 0 ? first_ : rest_[number - 1].slots; }
  const Run& run(std::size_t number) const { return number == 0 ? first_ : rest_[number - 1].slots; }
  std::size_t longest() const { return 8 + rest_.size(); }
  void split(std::size_t number);

  Run first_;
  std::vector<FurtherRun> rest_;
};

}  // namespace mayfly::engine
