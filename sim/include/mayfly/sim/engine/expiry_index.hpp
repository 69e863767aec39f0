#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <limits>
#include <utility>
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
// Each slot remembers its nearest entry, and the one that was nearest before; any other is stale. When the nearest has
// been visited, the farther one takes its place, which saves filing another. What a slot remembers outlives its
// document: the next document in the slot finds the entry there. Invariant: a document that can expire has an entry of
// its kind, at its second or before, and its slot remembers that entry as the nearest.
//
// Stale entries are dropped on their visit. If writes leave them behind faster, each entry that is filed pays for a
// look at eight others, in a sweep that goes round and round through both wheels: so there are less than four for each
// slot, whatever is written, and no write has to wait for a great cleaning. A slot that forgets an entry may file the
// same second again, and equal entries cannot be told apart. Therefore every other round marks the entries that it
// keeps, in the slot as well, and the rounds in between take the marks away: whatever the slot's entry has become,
// those that were equal to it differ from now on. Of all entries of a slot from before, one at most is left after two
// rounds.
//
// Documents that were just written wait, and are filed some at a time. A write stores into the document, and goes on
// while its cache line is still on the way; to decide at once whether it must be filed would be to wait for that line.
//
// A small store goes the short way: it is in the cache, so nothing waits, and filing again is cheap, so that a slot
// remembers only the nearest entry, and only for a document that can expire. A purge there is not cut short, and goes
// by the order of seconds; cleaning starts over and keeps that order. What the index does is then decided by the
// documents' nearest entries alone, and exhaustive search can tell all states of the store apart.

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
    if (waiting_count_ == waiting_.size()) file_waiting(documents);
    if (waiting_count_ == 0) waiting_since_ = now;
    waiting_[waiting_count_++] = slot;
    if (is_small(documents)) file_waiting(documents);
  }

  /// To be called when the document is no longer in its slot, but for one that was handed to `expire`.
  template <FiledDocuments T>
  void erased(T& documents, SlotId slot) {
    if (is_small(documents)) documents.filed(slot) = {};
  }

  /// Calls `expire(slot)` for at most `budget` documents that are due, and says for how many. The documents are then no
  /// longer in their slots. In a large store the work is bounded as well, so that a purge ends soon that meets only
  /// entries to file again: that it hands out nothing does not mean that nothing is due.
  template <FiledDocuments T, class Expire>
  std::uint64_t purge(T& documents, Due due, Budget budget, const Expire& expire) {
    file_waiting(documents);
    const std::uint64_t own = purge_from(Filing::by_deadline, documents, due.deadline, budget.units, expire);
    return own + purge_from(Filing::by_ts, documents, due.ts, budget.units - own, expire);
  }

  /// A second that no document of this kind has to be visited before; `Instant::max()` if there is none to visit.
  template <FiledDocuments T>
  Instant earliest(T& documents, Filing by) {
    file_waiting(documents);
    return wheel(by).earliest();
  }

  const ExpiryWheel& wheel(Filing by) const { return by == Filing::by_ts ? by_ts_ : by_deadline_; }

  std::size_t bytes() const { return sizeof *this + by_ts_.bytes() + by_deadline_.bytes(); }

  /// Aborts if something that must always hold does not. A scan: for tests.
  template <FiledDocuments T>
  void check_invariants(const T& documents) const {
    assert(chunks() <= 2 * most_chunks(documents));
    check_entries(documents, Filing::by_ts);
    check_entries(documents, Filing::by_deadline);
  }

 private:
  static constexpr std::size_t small_size = 1024;

  template <class T>
  static bool is_small(const T& documents) {
    return documents.slot_end() < small_size;
  }

  ExpiryWheel& wheel(Filing by) { return by == Filing::by_ts ? by_ts_ : by_deadline_; }

  // Not in line: a write must not save registers for it. They would stand in line with the stores into documents whose
  // cache lines are still on the way.
  template <class T>
  [[gnu::noinline]] void file_waiting(T& documents) {
    if (waiting_count_ == 0) return;
    by_ts_.start(waiting_since_);
    by_deadline_.start(waiting_since_);
    unsigned filed = 0;
    for (std::size_t i = 0; i < waiting_count_; ++i) filed += file(documents, waiting_[i]) ? 1 : 0;
    waiting_count_ = 0;
    if (filed > 0) tidy(documents, filed);
  }

  /// Says whether that took another entry.
  template <class T>
  [[gnu::always_inline]] bool file(T& documents, SlotId slot) {
    Filed& filed = documents.filed(slot);
    const Filable filable = documents.filable(slot);
    if (filable.by == Filing::nowhere) {
      if (is_small(documents)) filed = {};
      return false;
    }
    ExpiryWheel& to = wheel(filable.by);
    const auto key = to.key_at_or_before(filable.second) | filed.mark();
    const bool has_entry = filed.by() == filable.by;
    if (has_entry && to.is_at_or_before(filed.near, key)) return false;
    to.file({key, slot});
    filed = {key, filable.by, filed.near, has_entry && !is_small(documents)};
    return true;
  }

  template <class T, class Expire>
  std::uint64_t purge_from(Filing by, T& documents, Instant until, std::uint64_t budget, const Expire& expire) {
    if (budget == 0) return 0;
    std::uint64_t purged = 0;
    const auto order = is_small(documents) ? ExpiryWheel::Order::by_second : ExpiryWheel::Order::any;
    constexpr auto unbounded = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t work = is_small(documents) || budget > unbounded / 32 ? unbounded : 64 + 16 * budget;
    wheel(by).take_due(until, order, work, announce(documents), [&](Entry entry) {
      Filed& filed = documents.filed(entry.slot);
      if (!is_nearest(by, filed, entry)) return true;
      filed = {filed.far | filed.mark(), filed.has_far == 1 ? by : Filing::nowhere, 0, false};
      const Filable filable = documents.filable(entry.slot);
      if (filable.by != by || filable.second > until) {
        if (filable.by == by && !wheel(by).reaches_past(until))
          park(documents, entry.slot);
        else
          file(documents, entry.slot);
        return true;
      }
      expire(entry.slot);
      return ++purged < budget;
    });
    return purged;
  }

  /// Requires a visit of the slot's entry in the wheel in which its document is to be filed again.
  template <class T>
  void park(T& documents, SlotId slot) {
    Filed& filed = documents.filed(slot);
    const Filable filable = documents.filable(slot);
    if (filed.by() == filable.by) return;  // by its farther entry
    const auto key = wheel(filable.by).key_at_or_before(filable.second) | filed.mark();
    wheel(filable.by).park({key, slot});
    filed = {key, filable.by, 0, false};
  }

  /// Whether the slot remembers this entry as the nearest. Any other is to be dropped, and is forgotten here, if the
  /// slot remembers it as the farther one.
  static bool is_nearest(Filing by, Filed& filed, Entry entry) {
    if (filed.by() != by) return false;
    if ((filed.far | filed.mark()) == entry.key) filed.has_far = 0;
    return filed.near == entry.key;
  }

  std::size_t chunks() const { return by_ts_.chunks() + by_deadline_.chunks(); }

  /// Less than two entries for each slot, and a chunk for each bucket, which need not be full.
  template <class T>
  static std::size_t most_chunks(const T& documents) {
    constexpr std::size_t buckets = 2 * ExpiryWheel::level_count * ExpiryWheel::width;
    return documents.slot_end() * 15 / (8 * Chunk::capacity) + buckets;
  }

  // To be called for every entry that a write files. It pays by the entry and not by the chunk: chunks may all fill up
  // at once. Two rounds and a part of the next, which are over before the entries are twice as many as when the first
  // began, find all that was stale then.
  template <class T>
  void tidy(T& documents, unsigned filed) {
    if (chunks() <= most_chunks(documents)) return;
    if (is_small(documents)) {
      start_over(Filing::by_ts, documents);
      start_over(Filing::by_deadline, documents);
      return;
    }
    constexpr unsigned filed_for_a_chunk = 4;
    for (unpaid_ += filed; unpaid_ >= filed_for_a_chunk; unpaid_ -= filed_for_a_chunk)
      if (chunks() > most_chunks(documents)) sweep(documents);
  }

  // Keeps what is nearest, once for each slot, in its order.
  template <class T>
  void start_over(Filing by, T& documents) {
    std::vector<Entry> kept;
    std::vector<bool> is_kept(documents.slot_end());
    wheel(by).for_each([&](Entry entry) {
      if (is_kept[entry.slot] || !is_nearest(by, documents.filed(entry.slot), entry)) return;
      is_kept[entry.slot] = true;
      kept.push_back(entry);
    });
    wheel(by).clear();
    for (const Entry entry : kept) wheel(by).file(entry);
  }

  // Keeps what is nearest, with this round's mark. The farther entry keeps the old one, and is forgotten.
  template <class T>
  void sweep(T& documents) {
    const Filing by = swept_;
    const bool goes_on = wheel(by).sweep(announce(documents), [&](Entry& entry) {
      Filed& filed = documents.filed(entry.slot);
      if (!is_nearest(by, filed, entry)) return false;
      if (filed.mark() == round_mark_) return true;
      entry.key ^= ExpiryWheel::mark;
      filed = {entry.key, by, 0, false};
      return true;
    });
    if (goes_on) return;
    if (by == Filing::by_deadline) round_mark_ ^= ExpiryWheel::mark;
    swept_ = by == Filing::by_deadline ? Filing::by_ts : Filing::by_deadline;
  }

  template <class T>
  static auto announce(const T& documents) {
    return [&](SlotId slot) { documents.prefetch(slot); };
  }

  // All that a slot remembers is there, and a document that can expire has an entry at its second or before, or waits.
  template <class T>
  void check_entries(const T& documents, Filing by) const {
    const ExpiryWheel& in = wheel(by);
    in.check_invariants();
    std::vector<std::pair<SlotId, ExpiryWheel::Key>> entries;
    in.for_each([&](Entry entry) { entries.emplace_back(entry.slot, entry.key); });
    std::sort(entries.begin(), entries.end());
    [[maybe_unused]] const auto has = [&](SlotId slot, ExpiryWheel::Key key) {
      return std::binary_search(entries.begin(), entries.end(), std::pair{slot, key});
    };
    const auto waiting_end = waiting_.begin() + static_cast<std::ptrdiff_t>(waiting_count_);
    for (SlotId slot = 0; slot < documents.slot_end(); ++slot) {
      [[maybe_unused]] const Filed& filed = documents.filed(slot);
      const Filable filable = documents.filable(slot);
      assert(filed.by() != by || has(slot, filed.near));
      assert(filed.by() != by || filed.has_far == 0 || has(slot, filed.far | filed.mark()));
      if (filable.by != by || std::find(waiting_.begin(), waiting_end, slot) != waiting_end) continue;
      assert(filed.by() == by && (in.has_parked() || in.second_of(filed.near) <= filable.second));
    }
  }

  ExpiryWheel by_ts_;
  ExpiryWheel by_deadline_;
  Filing swept_ = Filing::by_ts;     ///< where the sweep is
  ExpiryWheel::Key round_mark_ = 0;  ///< what it leaves on entries
  unsigned unpaid_ = 0;              ///< entries that were filed since its last step
  std::size_t waiting_count_ = 0;
  Instant waiting_since_{};
  std::array<SlotId, 64> waiting_{};
};

}  // namespace mayfly::engine
