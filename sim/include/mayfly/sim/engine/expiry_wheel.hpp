#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <boost/container/static_vector.hpp>

#include "mayfly/model/time.hpp"
#include "mayfly/sim/engine/entry_queue.hpp"

// Entries (second, slot), filed at any second to come, and taken out when their second has come.
//
// The cursor is the second up to which entries were taken out. An entry's place follows from the highest digit, in base
// 64, in which its second differs from the cursor's: the digit's position is the level, the digit itself the bucket. So
// a bucket of level n holds the entries of 64^n seconds, all later than those of every lower level, and one word for
// each level tells which buckets hold any. When the cursor comes to a bucket whose seconds have all passed, its entries
// are due where they are; those of another one move down, into buckets that the cursor comes to next. How far apart the
// entries are costs nothing: what is empty is never looked at.
//
// A bucket is a queue of entries. To file is to write eight bytes next to the last eight; no other entry and no
// document is touched. Entries of one bucket come out in any order. But while a wheel holds a few entries only, all
// move down to the lowest level and come out in the order of seconds, and of slots within a second: so exhaustive
// search need not tell apart how they were filed. Nothing else depends on how many entries there are.
//
// Keys tell seconds apart as long as no entry is more than `reach` after the cursor. A second beyond is filed at the
// end of the reach: entries may sit early. Keys and places repeat after a turn of 2^29 seconds. If all entries are due
// and the cursor has farther to go than a turn, it takes whole turns at once, and the entries with it; otherwise what
// is visited on the way and is not due yet would be filed and visited again at each end of the reach.

namespace mayfly::engine {

class ExpiryWheel {
 public:
  static constexpr unsigned digit_bits = 6;
  static constexpr unsigned level_count = (second_bits + digit_bits - 1) / digit_bits;
  static constexpr unsigned width = 1U << digit_bits;  ///< buckets of a level
  static constexpr Seconds turn{std::int64_t{1} << second_bits};
  static constexpr Seconds reach{turn / 2 - Seconds{1}};
  static constexpr std::size_t few = 16;

  ExpiryWheel() = default;
  ExpiryWheel(const ExpiryWheel& other) { *this = other; }
  ExpiryWheel(ExpiryWheel&& other) noexcept { swap(other); }
  ExpiryWheel& operator=(const ExpiryWheel& other);
  ExpiryWheel& operator=(ExpiryWheel&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ExpiryWheel() = default;
  void swap(ExpiryWheel& other) noexcept;

  /// How many entries there are.
  std::size_t size() const { return size_; }

  /// The second, or the last one that an entry can be filed at.
  Instant within_reach(Instant second) const { return std::min(second, cursor_ + reach); }

  /// The same for an entry that will be filed before its second is taken out. Where nothing is filed or expected, the
  /// wheel goes on at any second, so that all to come is within reach.
  [[gnu::always_inline]] Instant expect(Instant now, Instant second) {
    if (earliest() == Instant::max()) cursor_ = now;
    const Instant at = within_reach(second);
    expected_ = std::min(expected_, at);
    return at;
  }

  /// A second at or before all that is expected; `Instant::max()` if nothing is.
  Instant expected() const { return expected_; }
  void all_is_filed() {
    earliest_ = earliest();
    expected_ = Instant::max();
  }

  /// Requires a second that is not before the cursor, and within reach; and that it was expected, or is filed by a
  /// visit.
  [[gnu::always_inline]] void file(Entry entry) {
    ++size_;
    place(entry);
  }

  /// Takes out the entries of seconds up to `until`, each with a call of `visit(entry)`, which may file later ones.
  /// Requires that `until` is not before `earliest()`. Each entry that is looked at takes one off `work`. Ends early
  /// when there is none left, or when `visit` returns false; the next call goes on from there. `ahead(slot)` announces
  /// a visit some entries before it comes.
  template <class Ahead, class Visit>
  void take_due(Instant until, std::uint64_t& work, const Ahead& ahead, const Visit& visit);

  /// A second at or before that of every entry, expected ones as well: when to look next. `Instant::max()` only if
  /// there is none.
  Instant earliest() const { return std::min(earliest_, expected_); }

  /// Whether the last call of `take_due` ended early.
  bool was_interrupted() const { return size_ > 0 && earliest_ == cursor_; }

  /// Looks at some entries, wherever the sweep has come to, and drops those for which `keep(entry)` is false; it may
  /// mark the others. Says at how many: if at none, the sweep has been everywhere, and the next one begins. An entry
  /// that is in the wheel all that time is looked at, because it only ever moves down, as the sweep does.
  template <class Ahead, class Keep>
  std::size_t sweep(const Ahead& ahead, const Keep& keep);

  /// Every entry, in no particular order.
  template <class Show>
  void for_each(Show show) const;

  /// The second of an entry that is in the wheel.
  Instant second_of(Filed filed) const { return cursor_ + distance(filed.key()); }

  /// What it has allocated.
  std::size_t bytes() const;

  void check_invariants() const;

 private:
  using Level = std::array<EntryQueue, width>;

  struct Place {
    unsigned level;
    unsigned digit;
    Instant first_second;
  };

  static constexpr int look_ahead = 16;

  static unsigned digit(Key key, unsigned level) { return key >> (level * digit_bits) & (width - 1); }
  static std::uint64_t bit(unsigned digit) { return std::uint64_t{1} << digit; }

  Seconds distance(Key key) const { return Seconds{(key - key_of(cursor_)) & key_mask}; }
  unsigned level_of(Key key) const {
    return (static_cast<unsigned>(std::bit_width((key ^ key_of(cursor_)) | 1U)) - 1) / digit_bits;
  }

  [[gnu::always_inline]] void place(Entry entry) {
    const Key key = entry.filed.key();
    const unsigned level = level_of(key);
    append(level, digit(key, level), entry);
  }

  [[gnu::always_inline]] void append(unsigned level, unsigned digit, Entry entry) {
    if (!levels_[level]) add_level(level);
    occupied_[level] |= bit(digit);
    pool_.append(bucket(level, digit), entry);
  }

  EntryQueue& bucket(unsigned level, unsigned digit) { return (*levels_[level])[digit]; }

  /// Calls `visit(level, digit, bucket)` for each that is not empty.
  template <class Visit>
  void for_each_bucket(const Visit& visit) const {
    for (unsigned level = 0; level < level_count; ++level)
      for (std::uint64_t occupied = occupied_[level]; occupied != 0; occupied &= occupied - 1) {
        const auto digit = static_cast<unsigned>(std::countr_zero(occupied));
        visit(level, digit, (*levels_[level])[digit]);
      }
  }

  void add_level(unsigned level);
  void clear();
  void take_whole_turns(Instant until);
  Place first_place() const;
  bool move_down(const Place& place, std::uint64_t& work);
  void sort(EntryQueue& bucket);
  template <class Ahead, class Visit>
  bool visit_all(const Place& place, std::uint64_t& work, const Ahead& ahead, const Visit& visit);
  bool begin_next_bucket();

  Instant cursor_{};
  Instant earliest_ = Instant::max();
  Instant expected_ = Instant::max();
  std::size_t size_ = 0;
  std::array<std::uint64_t, level_count> occupied_{};       ///< a bit for each bucket that is not empty
  std::array<std::unique_ptr<Level>, level_count> levels_;  ///< those that were ever used
  ChunkPool pool_;
  unsigned sweep_at_ = level_count * width;  ///< the bucket, counted from the first of the lowest level
  std::uint32_t sweep_chunks_ = 0;           ///< still to be looked at there
};

template <class Ahead, class Visit>
void ExpiryWheel::take_due(Instant until, std::uint64_t& work, const Ahead& ahead, const Visit& visit) {
  take_whole_turns(until);
  for (Place place = first_place(); place.first_second <= until; place = first_place()) {
    earliest_ = cursor_ = place.first_second;
    const Seconds seconds{std::int64_t{1} << (place.level * digit_bits)};
    const bool has_passed = place.first_second + seconds <= until + Seconds{1};
    const bool is_due = place.level == 0 || (has_passed && size_ > few);
    if (!(is_due ? visit_all(place, work, ahead, visit) : move_down(place, work))) return;
  }
  earliest_ = first_place().first_second;
  cursor_ = std::max(cursor_, until);
}

template <class Ahead, class Visit>
bool ExpiryWheel::visit_all(const Place& place, std::uint64_t& work, const Ahead& ahead, const Visit& visit) {
  EntryQueue& queue = bucket(place.level, place.digit);
  if (size_ <= few) sort(queue);
  const Entry* scout = queue.begin;
  const auto announce = [&] {
    if (scout == queue.end) return;
    ahead(scout->slot);
    scout = EntryQueue::after(scout);
  };
  for (int i = 0; i < look_ahead; ++i) announce();
  bool goes_on = true;
  while (goes_on && !queue.is_empty()) {
    if (work == 0) return false;
    queue.prefetch_next_chunk();
    const auto entries = queue.first(work);
    std::size_t count = 0;
    do {
      announce();
      goes_on = visit(entries[count++]);
    } while (goes_on && count < entries.size());
    size_ -= count;
    work -= count;
    pool_.drop(queue, count);
  }
  if (queue.is_empty()) occupied_[place.level] &= ~bit(place.digit);
  return goes_on;
}

template <class Ahead, class Keep>
std::size_t ExpiryWheel::sweep(const Ahead& ahead, const Keep& keep) {
  while (sweep_chunks_ == 0 || !(occupied_[sweep_at_ / width] & bit(sweep_at_ % width)))
    if (!begin_next_bucket()) return 0;
  --sweep_chunks_;
  const unsigned level = sweep_at_ / width;
  EntryQueue& queue = bucket(level, sweep_at_ % width);
  const auto entries = queue.first();
  for (const Entry entry : entries) ahead(entry.slot);
  boost::container::static_vector<Entry, Chunk::capacity> kept;
  for (Entry entry : entries)
    if (keep(entry)) kept.push_back(entry);
  const std::size_t looked_at = entries.size();
  size_ -= looked_at - kept.size();
  pool_.drop(queue, looked_at);
  for (const Entry entry : kept) pool_.append(queue, entry);
  if (queue.is_empty()) occupied_[level] &= ~bit(sweep_at_ % width);
  return looked_at;
}

template <class Show>
void ExpiryWheel::for_each(Show show) const {
  for_each_bucket([&](unsigned, unsigned, const EntryQueue& bucket) { bucket.for_each(show); });
}

}  // namespace mayfly::engine
