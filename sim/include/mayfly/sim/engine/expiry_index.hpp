#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <limits>
#include <vector>

#include "mayfly/model/outcome.hpp"
#include "mayfly/sim/engine/expiry_wheel.hpp"
#include "mayfly/sim/engine/filed.hpp"

// Tells the purger where to look, and nothing else: a stale entry costs a look, never an answer.
//
// Almost every write of a document only moves its deadline back. So an entry may sit at an earlier second than its
// document's, never at a later one: a write that moves the document to a later second touches nothing but the document,
// and the visit at the old second files it again. A write that moves it to an earlier second files a nearer entry.
//
// There are two wheels, for the two kinds of seconds: documents that inherit are filed by `_ts`, those with their own
// ttl by their deadline. A change of the default moves nothing; it changes up to which `_ts` documents are due.
//
// Each slot remembers its nearest entry; any other is stale. What a slot remembers outlives its document: the next
// document in the slot finds the entry there. Invariant: a document that can expire has an entry of its kind, at its
// second or before, and its slot remembers that entry; or it waits to be filed.
//
// Stale entries are dropped on their visit. While there are more than two entries for each slot, each one that is filed
// pays for a look at eight others, in a sweep that goes round and round through both wheels; no write has to wait for a
// great cleaning. A slot that forgets an entry may file the same second again, and equal entries cannot be told apart.
// Therefore every entry that is filed or kept has the mark of its round, in the slot as well, and the next round has
// the other mark. When a round begins, all entries have the mark of the one before; the first of a slot that is kept
// changes its mark, and those that were equal to it are stale from then on. So when a round ends, at most one entry for
// each slot is left of those from before it. A round takes two looks at an entry at most: it is over when a quarter as
// many as there were have been filed. With two entries for each slot, what is left of the round in which the limit is
// passed and a whole one after it make them at most 2 * 1.25 * 1.25; one for each slot and those filed meanwhile are
// then below the limit again. So there are never more than four for each slot, whatever is written.
//
// Documents that were just written wait, and are filed some at a time. A write stores into the document, and goes on
// while its cache line is still on the way; to decide at once whether it must be filed would be to wait for that line.

namespace mayfly::engine {

class ExpiryIndex {
 public:
  /// Up to which second documents of each kind are expired.
  struct Due {
    Instant ts;
    Instant deadline;
  };

  /// To be called after each write of the document in the slot. Its `_ts` is now.
  template <FiledDocuments T>
  [[gnu::always_inline]] void written(Instant now, T& documents, SlotId slot) {
    const Filable filable = documents.filable(slot);
    if (filable.by == Filing::by_ts && documents.filed(slot).by() == Filing::by_ts) return;  // `_ts` never goes back
    if (waiting_count_ == 0) waiting_since_ = now;
    waiting_[waiting_count_++] = slot;
    if (waiting_count_ == waiting_.size()) file_waiting(documents);
  }

  /// Calls `expire(slot)` for at most `budget` documents that are due, and says for how many. The documents are then no
  /// longer in their slots. The work is bounded as well, so that a purge ends soon that meets only entries to file
  /// again: if it hands out less than the budget, `has_due` tells whether there is more to look at.
  template <FiledDocuments T, class Expire>
  std::uint64_t purge(T& documents, Due due, Budget budget, const Expire& expire) {
    if (waiting_count_ > 0) file_waiting(documents);
    const std::uint64_t own = purge_from(Filing::by_deadline, documents, due.deadline, budget.units, expire);
    return own + purge_from(Filing::by_ts, documents, due.ts, budget.units - own, expire);
  }

  /// Requires that nothing was written since the last purge.
  bool has_due(Due due) const { return due.deadline >= by_deadline_.earliest() || due.ts >= by_ts_.earliest(); }

  /// A second that no document of this kind has to be visited before; `Instant::max()` if there is none to visit.
  template <FiledDocuments T>
  Instant earliest(T& documents, Filing by) {
    if (waiting_count_ > 0) file_waiting(documents);
    return wheel(by).earliest();
  }

  const ExpiryWheel& wheel(Filing by) const { return by == Filing::by_ts ? by_ts_ : by_deadline_; }

  /// Whether documents are handed out in the order of kinds, seconds and slots, whatever was written before.
  bool is_in_order() const { return entries() <= ExpiryWheel::few; }

  std::size_t bytes() const { return sizeof *this + by_ts_.bytes() + by_deadline_.bytes(); }

  /// Aborts if something that must always hold does not. A scan: for tests.
  template <FiledDocuments T>
  void check_invariants(const T& documents) const {
    assert(entries() <= 2 * most_entries(documents));
    check_entries(documents, Filing::by_ts);
    check_entries(documents, Filing::by_deadline);
  }

 private:
  ExpiryWheel& wheel(Filing by) { return by == Filing::by_ts ? by_ts_ : by_deadline_; }

  // Not in line: a write must not save registers for it. They would stand in line with the stores into documents whose
  // cache lines are still on the way.
  template <class T>
  [[gnu::noinline]] void file_waiting(T& documents) {
    by_ts_.start(waiting_since_);
    by_deadline_.start(waiting_since_);
    std::size_t filed = 0;
    for (std::size_t i = 0; i < waiting_count_; ++i) filed += file(documents, waiting_[i]) ? 1 : 0;
    waiting_count_ = 0;
    for (std::size_t looks = 8 * filed; looks > 0 && entries() > most_entries(documents);)
      looks -= std::min(looks, sweep(documents));
  }

  /// Says whether that took another entry.
  template <class T>
  [[gnu::always_inline]] bool file(T& documents, SlotId slot) {
    const Filable filable = documents.filable(slot);
    if (filable.by == Filing::nowhere) return false;
    ExpiryWheel& to = wheel(filable.by);
    Filed& filed = documents.filed(slot);
    const Filed wanted(filable.by, to.within_reach(filable.second), round_mark_);
    if (filed.serves(wanted)) return false;
    to.file({wanted, slot});
    filed = wanted;
    return true;
  }

  template <class T, class Expire>
  std::uint64_t purge_from(Filing by, T& documents, Instant until, std::uint64_t budget, const Expire& expire) {
    ExpiryWheel& from = wheel(by);
    if (budget == 0 || until < from.earliest()) return 0;
    std::uint64_t purged = 0;
    constexpr auto unbounded = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t work = budget > unbounded / 32 ? unbounded : 16 + 16 * budget;
    from.take_due(until, work, announce(documents), [&](Entry entry) {
      Filed& filed = documents.filed(entry.slot);
      if (filed != entry.filed) return true;
      filed = {};
      const Filable filable = documents.filable(entry.slot);
      const bool is_due = filable.by == by && filable.second <= until;
      if (!is_due || filable.second > from.second_of(entry.filed)) {  // its turn is later, perhaps in this purge
        file(documents, entry.slot);
        return true;
      }
      expire(entry.slot);
      return ++purged < budget;
    });
    return purged;
  }

  std::size_t entries() const { return by_ts_.size() + by_deadline_.size(); }

  /// Sweeping begins above.
  template <class T>
  static std::size_t most_entries(const T& documents) {
    return 2 * documents.slot_end();
  }

  /// Says at how many entries it looked.
  template <class T>
  std::size_t sweep(T& documents) {
    const std::size_t looked_at = wheel(swept_).sweep(announce(documents), [&](Entry& entry) {
      Filed& filed = documents.filed(entry.slot);
      if (filed != entry.filed) return false;
      filed = entry.filed = filed.marked(round_mark_);
      return true;
    });
    if (looked_at == 0) {
      if (swept_ == Filing::by_deadline) round_mark_ = !round_mark_;
      swept_ = swept_ == Filing::by_deadline ? Filing::by_ts : Filing::by_deadline;
    }
    return looked_at;
  }

  template <class T>
  static auto announce(const T& documents) {
    return [&](SlotId slot) { documents.prefetch(slot); };
  }

  // What a slot remembers is there, and a document that can expire has an entry at its second or before, or waits.
  template <class T>
  void check_entries(const T& documents, Filing by) const {
    const ExpiryWheel& in = wheel(by);
    in.check_invariants();
    std::vector<bool> is_there(documents.slot_end());
    in.for_each([&](Entry entry) {
      if (documents.filed(entry.slot) == entry.filed) is_there[entry.slot] = true;
    });
    const auto waiting_end = waiting_.begin() + static_cast<std::ptrdiff_t>(waiting_count_);
    for (SlotId slot = 0; slot < documents.slot_end(); ++slot) {
      [[maybe_unused]] const Filed filed = documents.filed(slot);
      const Filable filable = documents.filable(slot);
      assert(filed.by() != by || is_there[slot]);
      if (filable.by != by || std::find(waiting_.begin(), waiting_end, slot) != waiting_end) continue;
      assert(filed.by() == by && (in.was_interrupted() || in.second_of(filed) <= filable.second));
    }
  }

  ExpiryWheel by_ts_;
  ExpiryWheel by_deadline_;
  Filing swept_ = Filing::by_ts;  ///< where the sweep is
  bool round_mark_ = false;       ///< what it leaves on entries
  std::size_t waiting_count_ = 0;
  Instant waiting_since_{};
  std::array<SlotId, 64> waiting_{};
};

}  // namespace mayfly::engine
