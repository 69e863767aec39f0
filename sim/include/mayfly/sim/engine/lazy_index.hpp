#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include <boost/container/devector.hpp>

#include "mayfly/model/outcome.hpp"
#include "mayfly/sim/engine/document_table.hpp"
#include "mayfly/sim/state_encoder.hpp"

// Which documents a lazily indexed collection shows to queries (I3, I4).
//
// A rebuild forgets everything at once by beginning a new epoch, and then sweeps the slots from the first to the last.
// Changes behind the sweep wait in a queue; those ahead of it, and new slots, the sweep will meet anyway. The index has
// caught up when the sweep is at the end and the queue is empty. A slot waits at most once, so the queue is never
// longer than the table.

namespace mayfly::engine {

class LazyIndex {
 public:
  /// Forgets what it took in. Constant time: no document is visited (W5).
  void rebuild() {
    ++epoch_;
    swept_ = 0;
    waiting_.clear();
  }

  /// The slot's document was written: queries do not show it until it is taken in, since they never show old content.
  void changed(SlotId slot) {
    auto& mark = mark_of(slot);
    mark.shown_in = 0;
    if (slot >= swept_ || mark.waits_in == epoch_) return;
    mark.waits_in = epoch_;
    waiting_.push_back(slot);
  }

  /// The slot's document is gone.
  void erased(SlotId slot) { mark_of(slot).shown_in = 0; }

  bool shows(SlotId slot) const {
    const Mark* const mark = find_mark(slot);
    return mark && mark->shown_in == epoch_;
  }

  bool has_caught_up(SlotId slot_end) const { return swept_ == slot_end && waiting_.empty(); }

  void check_invariants([[maybe_unused]] SlotId slot_end) const {
    assert(swept_ <= slot_end);
    assert(waiting_.size() <= swept_);
    for ([[maybe_unused]] const SlotId slot : waiting_) assert(slot < swept_ && find_mark(slot)->waits_in == epoch_);
  }

  /// Takes in at most `budget` documents. Those that are not `wanted` take nothing off the budget, so that an index
  /// with budget for all live ones catches up (I4). They are looked at all the same: once in each rebuild what is
  /// expired and not yet purged, and once for each write what is deleted since. Slots that `next_stored` passes over
  /// are not.
  template <class NextStored, class Wanted>
  void take_in(Budget budget, SlotId slot_end, NextStored next_stored, Wanted wanted) {
    while (budget.units > 0 && !has_caught_up(slot_end)) {
      const SlotId slot = next(slot_end, next_stored);
      if (slot == no_slot || shows(slot) || !wanted(slot)) continue;
      mark_of(slot).shown_in = epoch_;
      --budget.units;
    }
  }

  /// Marks of earlier epochs say nothing any more: what counts is whether a mark is of this one.
  void encode(StateEncoder& state, SlotId slot_end) const {
    state.number(swept_);
    for (SlotId slot = 0; slot < slot_end; ++slot) state.number(shows(slot) ? 1 : 0);
    state.number(waiting_.size());
    for (const SlotId slot : waiting_) state.number(slot);
  }

 private:
  struct Mark {
    std::uint32_t shown_in = 0;
    std::uint32_t waits_in = 0;
  };

  static constexpr std::size_t page_size = 16;

  Mark& mark_of(SlotId slot) {
    if (slot / page_size >= pages_.size()) pages_.resize(slot / page_size + 1);
    auto& page = pages_[slot / page_size];
    if (slot % page_size >= page.size()) page.resize(slot % page_size + 1);
    return page[slot % page_size];
  }

  const Mark* find_mark(SlotId slot) const {
    if (slot / page_size >= pages_.size()) return nullptr;
    const auto& page = pages_[slot / page_size];
    return slot % page_size < page.size() ? &page[slot % page_size] : nullptr;
  }

  /// `no_slot` where the sweep comes to its end.
  template <class NextStored>
  SlotId next(SlotId slot_end, NextStored next_stored) {
    if (swept_ < slot_end) {
      const SlotId slot = next_stored(swept_);
      swept_ = slot == no_slot ? slot_end : slot + 1;
      return slot;
    }
    const SlotId slot = waiting_.front();
    waiting_.pop_front();
    mark_of(slot).waits_in = 0;
    return slot;
  }

  std::uint32_t epoch_ = 1;
  SlotId swept_ = 0;
  std::vector<std::vector<Mark>> pages_;  ///< of marks, as far as there are any: the last slot needs no million others
  // A queue in one piece of memory: filled at the back, emptied at the front.
  boost::container::devector<SlotId> waiting_;
};

}  // namespace mayfly::engine
