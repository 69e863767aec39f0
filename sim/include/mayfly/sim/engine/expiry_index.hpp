#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <concepts>
#include <cstdint>
#include <utility>
#include <vector>

#include "mayfly/model/outcome.hpp"
#include "mayfly/sim/engine/expiry_wheel.hpp"

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
// Stale entries are dropped on their visit. If writes leave them behind faster, some also sweep a few chunks of
// entries, so that there are about two for each slot at most, and no write has to wait for a great cleaning.
//
// Documents that were just written wait, and are filed some at a time. A write stores into the document, and goes on
// while its cache line is still on the way; to decide at once whether it must be filed would be to wait for that line.
//
// A small store goes the short way: it is in the cache, so nothing waits, and filing again is cheap, so that a slot
// remembers only the nearest entry, and only for a document that can expire. What the index can do is then decided by
// the documents' nearest entries alone, and exhaustive search can tell all states of the store apart.

namespace mayfly::engine {

/// By what the expiry index holds a document.
enum class Filing : std::uint8_t { nowhere, by_ts, by_deadline };

/// What a slot remembers of its entries. All zero for a new slot.
struct Filed {
  Filed() = default;
  Filed(ExpiryWheel::Key near_key, Filing by, ExpiryWheel::Key far_key, bool is_far_there)
      : near(near_key & ExpiryWheel::key_mask),
        filing(static_cast<unsigned>(by) & 3U),
        far(is_far_there ? far_key & ExpiryWheel::key_mask : 0),
        has_far(is_far_there) {}

  ExpiryWheel::Key near : ExpiryWheel::key_bits = 0;
  ExpiryWheel::Key filing : 2 = 0;
  ExpiryWheel::Key far : ExpiryWheel::key_bits = 0;
  ExpiryWheel::Key has_far : 1 = 0;

  Filing by() const { return static_cast<Filing>(filing); }
  bool operator==(const Filed&) const = default;
};
static_assert(sizeof(Filed) == 8);

/// By what a document must be filed, and the second that it must not be filed after.
struct Filable {
  Filing by = Filing::nowhere;
  Instant second{};
};

/// The documents that are indexed, in slots. Empty slots are filable nowhere.
template <class T>
concept FiledDocuments = requires(T& documents, const T& constant, SlotId slot) {
  { documents.filed(slot) } -> std::same_as<Filed&>;
  { constant.filed(slot) } -> std::same_as<const Filed&>;
  { constant.filable(slot) } -> std::same_as<Filable>;
  { constant.slot_end() } -> std::convertible_to<std::size_t>;
  constant.prefetch(slot);
};

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
    if (waiting_count_ == waiting_.size() || is_small(documents)) file_waiting(documents);
  }

  /// To be called when the document is no longer in its slot, but for one that was handed to `expire`.
  template <FiledDocuments T>
  void erased(T& documents, SlotId slot) {
    if (is_small(documents)) documents.filed(slot) = {};
  }

  /// Calls `expire(slot)` for at most `budget` documents that are due, and says for how many. The documents are then no
  /// longer in their slots. The work is bounded as well, so that a purge ends that meets only entries to file again.
  template <FiledDocuments T, class Expire>
  std::uint64_t purge(T& documents, Due due, Budget budget, const Expire& expire) {
    file_waiting(documents);
    std::uint64_t work = 64 + 16 * std::min(budget.units, std::uint64_t{1} << 59);
    const std::uint64_t own = purge_from(Filing::by_deadline, documents, due.deadline, budget.units, work, expire);
    return own + purge_from(Filing::by_ts, documents, due.ts, budget.units - own, work, expire);
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
    check_entries(documents, Filing::by_ts);
    check_entries(documents, Filing::by_deadline);
  }

 private:
  static constexpr std::size_t small_size = 1024;
  static constexpr std::size_t spare_chunks = 128;

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
    bool filled_chunk = false;
    for (std::size_t i = 0; i < waiting_count_; ++i) filled_chunk |= file(documents, waiting_[i]);
    waiting_count_ = 0;
    if (filled_chunk) sweep_if_stale(documents);
  }

  /// Says whether that took another chunk of memory.
  template <class T>
  [[gnu::always_inline]] bool file(T& documents, SlotId slot) {
    Filed& filed = documents.filed(slot);
    const Filable filable = documents.filable(slot);
    if (filable.by == Filing::nowhere) {
      if (is_small(documents)) filed = {};
      return false;
    }
    ExpiryWheel& to = wheel(filable.by);
    const auto key = to.key_at_or_before(filable.second);
    const bool has_entry = filed.by() == filable.by;
    if (has_entry && to.is_at_or_before(filed.near, key)) return false;
    filed = {key, filable.by, filed.near, has_entry && !is_small(documents)};
    return to.file({key, slot});
  }

  template <class T, class Expire>
  std::uint64_t purge_from(Filing by, T& documents, Instant until, std::uint64_t budget, std::uint64_t& work,
                           const Expire& expire) {
    if (budget == 0) return 0;
    std::uint64_t purged = 0;
    const auto order = is_small(documents) ? ExpiryWheel::Order::by_second : ExpiryWheel::Order::any;
    wheel(by).take_due(until, order, work, announce(documents), [&](Entry entry) {
      Filed& filed = documents.filed(entry.slot);
      if (!is_nearest(by, filed, entry)) return true;
      filed = {filed.far, filed.has_far == 1 ? by : Filing::nowhere, 0, false};
      const Filable filable = documents.filable(entry.slot);
      if (filable.by != by || filable.second > until) {
        file(documents, entry.slot);
        return true;
      }
      expire(entry.slot);
      return ++purged < budget;
    });
    return purged;
  }

  /// Whether the slot remembers this entry as the nearest. Any other is to be dropped, and is forgotten here, if the
  /// slot remembers it as the farther one.
  static bool is_nearest(Filing by, Filed& filed, Entry entry) {
    if (filed.by() != by) return false;
    if (filed.far == entry.key) filed.has_far = 0;
    return filed.near == entry.key;
  }

  // Four chunks for each one that was filled: more goes than comes, if half of what is swept is stale.
  template <class T>
  void sweep_if_stale(T& documents) {
    const std::size_t most = documents.slot_end() * 15 / (8 * Chunk::capacity) + spare_chunks;
    for (int i = 0; i < 4 && by_ts_.chunks() + by_deadline_.chunks() > most; ++i)
      sweep(by_ts_.chunks() > by_deadline_.chunks() ? Filing::by_ts : Filing::by_deadline, documents);
  }

  // Keeps what is nearest.
  template <class T>
  void sweep(Filing by, T& documents) {
    wheel(by).sweep(announce(documents),
                    [&](Entry entry) { return is_nearest(by, documents.filed(entry.slot), entry); });
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
      assert(filed.by() != by || filed.has_far == 0 || has(slot, filed.far));
      if (filable.by != by || std::find(waiting_.begin(), waiting_end, slot) != waiting_end) continue;
      assert(filed.by() == by && in.second_of(filed.near) <= filable.second);
    }
  }

  ExpiryWheel by_ts_;
  ExpiryWheel by_deadline_;
  std::size_t waiting_count_ = 0;
  Instant waiting_since_{};
  std::array<SlotId, 64> waiting_{};
};

}  // namespace mayfly::engine
