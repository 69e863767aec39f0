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
// Where deadlines move forth and back, a far entry would soon be passed by, and be left behind. So a visit that finds a
// deadline which has moved far away only files the document some way ahead.
//
// Stale entries are dropped on their visit. While there are more than five entries for three slots, each one that is
// filed pays for a look at 32 others, in a sweep that goes round and round through both wheels; no write has to wait
// for a great cleaning. A slot that forgets an entry may file the same second again, and equal entries cannot be told
// apart. Therefore every entry that is filed or kept has the mark of its round, in the slot as well, and the next round
// has the other mark. When a round begins, all entries have the mark of the one before; the first of a slot that is
// kept changes its mark, and those that were equal to it are stale from then on. So when a round ends, at most one
// entry for each slot is left of those from before it. A round takes two looks at an entry at most: it is over when a
// sixteenth as many as there were have been filed. With 5/3 entries for each slot, what is left of the round in which
// the limit is passed and a whole one after it make them at most 5/3 * 17/16 * 17/16; one for each slot and those filed
// meanwhile are then below the limit again. So there are never more than two for each slot, whatever is written.
//
// Documents that were just written wait, and are filed some at a time. A write stores into the document, and goes on
// while its cache line is still on the way; to decide at once whether it must be filed would be to wait for that line.
// A wheel knows the earliest second that waits: as long as that is not due, nobody has to wait for the filing.

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
    if (filable.by == Filing::nowhere) return;
    if (filable.by == Filing::by_ts && documents.filed(slot).by() == Filing::by_ts) return;  // `_ts` never goes back
    const Instant second = wheel(filable.by).expect(now, filable.second);
    waiting_[waiting_count_++] = {{filable.by, second, round_mark_}, slot};
    if (waiting_count_ == waiting_.size()) file_waiting(documents);
  }

  /// Calls `expire(slot)` for at most `budget` documents that are due, and says for how many. The documents are then no
  /// longer in their slots. The work is bounded as well, by 17 entries for each unit of a budget of a thousand, so that
  /// a purge ends soon that meets only entries to file again: if it hands out less than the budget, `has_due` tells
  /// whether there is more to look at.
  template <FiledDocuments T, class Expire>
  std::uint64_t purge(T& documents, Due due, Budget budget, const Expire& expire) {
    if (due.deadline >= by_deadline_.expected() || due.ts >= by_ts_.expected()) file_waiting(documents);
    constexpr auto unbounded = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t work = budget.units > unbounded / 32 ? unbounded : 16 + 14 * budget.units;
    const std::uint64_t own = purge_from(Filing::by_deadline, documents, due.deadline, budget.units, work, expire);
    return own + purge_from(Filing::by_ts, documents, due.ts, budget.units - own, work, expire);
  }

  /// Whether a purge has anything to look at.
  bool has_due(Due due) const { return due.deadline >= by_deadline_.earliest() || due.ts >= by_ts_.earliest(); }

  /// A second that no document of this kind has to be visited before; `Instant::max()` if there is none to visit.
  Instant earliest(Filing by) const { return wheel(by).earliest(); }

  /// Files what was written since; a purge does so if any of it is due. Not in line: a write must not save registers
  /// for it. They would stand in line with the stores into documents whose cache lines are still on the way.
  template <FiledDocuments T>
  [[gnu::noinline]] void file_waiting(T& documents) {
    std::size_t filed = 0;
    for (std::size_t i = 0, end = find_unserved(documents); i < end; ++i) filed += file(documents, waiting_[i]) ? 1 : 0;
    by_ts_.all_is_filed();
    by_deadline_.all_is_filed();
    for (std::size_t looks = 32 * filed; looks > 0 && entries() > most_entries(documents);)
      looks -= std::min(looks, sweep(documents));
  }

  const ExpiryWheel& wheel(Filing by) const { return by == Filing::by_ts ? by_ts_ : by_deadline_; }

  /// Whether documents are handed out in the order of kinds, seconds and slots, whatever was written before.
  bool is_in_order() const { return entries() <= ExpiryWheel::few; }

  std::size_t bytes() const { return sizeof *this + by_ts_.bytes() + by_deadline_.bytes(); }

  /// Aborts if something that must always hold does not. A scan: for tests.
  template <FiledDocuments T>
  void check_invariants(const T& documents) const {
    assert(entries() <= 2 * documents.slot_end());
    check_entries(documents, Filing::by_ts);
    check_entries(documents, Filing::by_deadline);
  }

 private:
  ExpiryWheel& wheel(Filing by) { return by == Filing::by_ts ? by_ts_ : by_deadline_; }

  /// Moves those to the front whose slots remember no entry that serves, and says how many. Without a branch, which no
  /// processor could predict.
  template <class T>
  std::size_t find_unserved(T& documents) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < waiting_count_; ++i) {
      const Entry entry = waiting_[i];
      waiting_[count] = entry;
      count += documents.filed(entry.slot).serves(entry.filed) ? 0 : 1;
    }
    waiting_count_ = 0;
    return count;
  }

  /// Says whether that took another entry. The document may have another kind of second by now, for which it waits as
  /// well; and it may wait twice.
  template <class T>
  [[gnu::always_inline]] bool file(T& documents, Entry entry) {
    Filed& filed = documents.filed(entry.slot);
    const Filing by = entry.filed.by();
    if (documents.filable(entry.slot).by != by || filed.serves(entry.filed)) return false;
    wheel(by).file(entry);
    filed = entry.filed;
    return true;
  }

  template <class T, class Expire>
  std::uint64_t purge_from(Filing by, T& documents, Instant until, std::uint64_t budget, std::uint64_t& work,
                           const Expire& expire) {
    ExpiryWheel& from = wheel(by);
    if (budget == 0 || until < from.earliest()) return 0;
    std::uint64_t purged = 0;
    from.take_due(until, work, announce(documents), [&](Entry entry) {
      Filed& filed = documents.filed(entry.slot);
      if (filed != entry.filed) return true;
      filed = {};
      const Filable filable = documents.filable(entry.slot);
      if (filable.by != by) return true;                   // it cannot expire, or it waits to be filed
      if (filable.second > from.second_of(entry.filed)) {  // its turn is later, perhaps in this purge
        filed = {by, from.within_reach(look_again(by, filable.second, until)), round_mark_};
        from.file({filed, entry.slot});
        return true;
      }
      expire(entry.slot);
      return ++purged < budget;
    });
    return purged;
  }

  // At the beginning of a bucket, where many are looked at together.
  static Instant look_again(Filing by, Instant second, Instant until) {
    const Instant latest = until + std::max(Seconds{4'096}, (second - until) / 16);
    if (by == Filing::by_ts || second <= latest) return second;
    return latest - latest.time_since_epoch() % Seconds{ExpiryWheel::width};
  }

  std::size_t entries() const { return by_ts_.size() + by_deadline_.size(); }

  /// Sweeping begins above.
  template <class T>
  static std::size_t most_entries(const T& documents) {
    return 5 * documents.slot_end() / 3;
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
      const auto is_this = [&](Entry entry) { return entry.slot == slot; };
      if (filable.by != by || std::any_of(waiting_.begin(), waiting_end, is_this)) continue;
      assert(filed.by() == by && (in.was_interrupted() || in.second_of(filed) <= filable.second));
    }
  }

  ExpiryWheel by_ts_;
  ExpiryWheel by_deadline_;
  Filing swept_ = Filing::by_ts;  ///< where the sweep is
  bool round_mark_ = false;       ///< what it leaves on entries
  std::size_t waiting_count_ = 0;
  std::array<Entry, 64> waiting_{};
};

}  // namespace mayfly::engine
