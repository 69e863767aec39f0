#pragma once

#include "d_ary_heap.hpp"
#include "intrusive_multiset.hpp"
#include "linked_wheel.hpp"
#include "mayfly_index.hpp"
#include "priority_queue.hpp"
#include "std_set.hpp"
#include "structure.hpp"
#ifdef MAYFLY_HAS_ABSL
#include "btree_set.hpp"
#endif

namespace mayfly::bench {

/// Calls `f.template operator()<S>()` for the index of the engine, then for every peer.
template <class F>
void for_each_structure(F f) {
  const auto each = [&]<Structure... S>() { (f.template operator()<S>(), ...); };
  each.template operator()<MayflyIndex, StdSet, PriorityQueue, DAryHeap, IntrusiveMultiset, LinkedWheel>();
#ifdef MAYFLY_HAS_ABSL
  each.template operator()<BtreeSet>();
#endif
}

}  // namespace mayfly::bench
