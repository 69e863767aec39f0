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
// each level tells which buckets hold any. When the cursor comes to a bucket's first second, the entries of a bucket of
// level 0 are due; those of a higher one move down, into buckets that the cursor comes to next. If all seconds of a
// bucket have passed, and order does not matter, its entries are due where they are. How far apart the entries are
// costs nothing: what is empty is never looked at.
//
// A bucket is a queue of entries. To file is to write eight bytes next to the last eight; no other entry and no
// document is touched. Where order matters, entries come out in the order of their seconds, and within one second in
// the order in which they were filed, but for what happens while a purge is interrupted or entries are swept.
//
// Seconds are kept in 30 bits, which tells them apart as long as no entry is more than `reach` after the cursor. A
// second beyond is filed at the end of the reach: entries may sit early. If the cursor has farther to go than that,
// what is visited on the way and is not due yet would be filed where it is visited again, and again: such entries are
// parked until the cursor has arrived.

namespace mayfly::engine {

class ExpiryWheel {
 public:
  using Key = std::uint32_t;  ///< a second, cut down to `second_bits`, and a mark that is the owner's alone

  static constexpr unsigned digit_bits = 6;
  static constexpr unsigned level_count = 5;
  static constexpr unsigned width = 1U << digit_bits;  ///< buckets of a level
  static constexpr unsigned second_bits = digit_bits * level_count;
  static constexpr Key second_mask = (Key{1} << second_bits) - 1;
  static constexpr Key mark = Key{1} << second_bits;
  static constexpr Seconds reach{std::int64_t{1} << (second_bits - 1)};

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

  bool is_empty() const { return pool_.in_use() == 0; }

  /// Chunks that hold entries, or could hold the next.
  std::size_t chunks() const { return pool_.in_use(); }

  /// The key of the second, or of the last one within reach, without a mark. Requires that the cursor is not past the
  /// second.
  Key key_at_or_before(Instant second) const { return key_of(std::min(second, cursor_ + reach)); }

  /// Whether one key is at or before another. Requires that the cursor is past neither.
  bool is_at_or_before(Key a, Key b) const { return distance(a) <= distance(b); }

  /// Requires a key that is not before the cursor, and within reach.
  [[gnu::always_inline]] void file(Entry entry) {
    if (const Instant second = second_of(entry.key); second < earliest_) earliest_ = second;
    place(entry);
  }

  /// Whether a visit can file an entry that `take_due(until)` does not meet again. If not, it is to park it.
  bool reaches_past(Instant until) const { return cursor_ + reach > until; }

  /// Requires that this is called by a visit. The entry is visited once more, after all that is due.
  void park(Entry entry) { pool_.append(parked_, entry); }

  /// Whether entries are parked, because a call of `take_due` ended early. Their keys say nothing of a second.
  bool has_parked() const { return !parked_.is_empty(); }

  /// An empty wheel goes on at any second, so that all to come is within reach.
  void start(Instant now) {
    if (is_empty()) cursor_ = now;
  }

  /// Whether entries of different seconds come out in the order of their seconds when several are due at once.
  enum class Order : bool { any, by_second };

  /// Takes out the entries of seconds up to `until`, each with a call of `visit(entry)`, which may file later ones.
  /// Each entry that is looked at takes one off `work`. Ends early when there is none left, or when `visit` returns
  /// false; the next call goes on from there. `ahead(slot)` announces a visit some entries before it comes.
  template <class Ahead, class Visit>
  void take_due(Instant until, Order order, std::uint64_t& work, const Ahead& ahead, const Visit& visit);

  /// A second at or before that of every entry: when to look next. `Instant::max()` only if there is no entry.
  Instant earliest() const { return earliest_; }

  /// FullObservation at a chunk of entries, wherever the sweep has come to, and drops those for which `keep(entry)` is
  /// false; it may change the mark of the others. Says whether there was one: if not, the sweep has been everywhere,
  /// and the next one begins. An entry that is in the wheel all that time is looked at, wherever it moves.
  template <class Ahead, class Keep>
  bool sweep(const Ahead& ahead, const Keep& keep);

  /// Every entry, in no particular order.
  template <class Show>
  void for_each(Show show) const;

  void clear();

  /// The second of an entry that is in the wheel.
  Instant second_of(Key key) const { return cursor_ + Seconds{distance(key)}; }

  /// What it has allocated.
  std::size_t bytes() const;

  void check_invariants() const;

 private:
  struct Level {
    std::uint64_t occupied = 0;  ///< a bit for each bucket that is not empty
    std::array<EntryQueue, width> buckets;
  };

  struct Place {
    unsigned level;
    unsigned digit;
    Instant first_second;
  };

  static constexpr int look_ahead = 16;

  static Key key_of(Instant second) { return static_cast<Key>(second.time_since_epoch().count()) & second_mask; }
  static unsigned digit(Key key, unsigned level) { return key >> (level * digit_bits) & (width - 1); }
  static std::uint64_t bit(unsigned digit) { return std::uint64_t{1} << digit; }

  Key distance(Key key) const { return (key - key_of(cursor_)) & second_mask; }
  unsigned level_of(Key key) const {
    return (static_cast<unsigned>(std::bit_width(((key ^ key_of(cursor_)) & second_mask) | 1U)) - 1) / digit_bits;
  }

  [[gnu::always_inline]] Level& level(unsigned number) {
    if (!levels_[number]) add_level(number);
    return *levels_[number];
  }

  [[gnu::always_inline]] void place(Entry entry) {
    const unsigned number = level_of(entry.key);
    append(number, digit(entry.key, number), entry);
  }

  [[gnu::always_inline]] void append(unsigned level_number, unsigned digit, Entry entry) {
    Level& at = level(level_number);
    EntryQueue& bucket = at.buckets[digit];
    if (bucket.is_empty()) at.occupied |= bit(digit);
    pool_.append(bucket, entry);
  }

  /// Calls `visit(level, digit, bucket)` for each that is not empty.
  template <class Visit>
  void for_each_bucket(const Visit& visit) const {
    for (unsigned number = 0; number < level_count; ++number) {
      const Level* const level = levels_[number].get();
      for (std::uint64_t occupied = level ? level->occupied : 0; occupied != 0; occupied &= occupied - 1) {
        const auto digit = static_cast<unsigned>(std::countr_zero(occupied));
        visit(number, digit, level->buckets[digit]);
      }
    }
  }

  void add_level(unsigned number);
  Place first_place() const;
  static bool can_visit(const Place& place, Instant until, Order order);
  void pick_up(const Place& place);
  bool move_down(std::uint64_t& work);
  EntryQueue* swept_queue();
  bool begin_next_queue();
  template <class Ahead, class Visit>
  bool visit_all(EntryQueue& queue, std::uint64_t& work, const Ahead& ahead, const Visit& visit);

  Instant cursor_{};
  Instant earliest_ = Instant::max();
  ChunkPool pool_;
  std::array<std::unique_ptr<Level>, level_count> levels_;  ///< those that were ever used
  EntryQueue falling_;  ///< what is left of a bucket of a higher level, whose seconds the cursor has come to
  EntryQueue parked_;

  // The sweep begins with what is parked, goes down the levels, and looks at what is falling after each: entries only
  // ever move down themselves, so that none gets past it.
  struct Sweep {
    unsigned level = level_count;
    unsigned digit = width - 1;  ///< `width` is what is falling, or parked
    std::uint32_t chunks = 0;    ///< still to be looked at in this queue
  };
  Sweep sweep_;
};

template <class Ahead, class Visit>
void ExpiryWheel::take_due(Instant until, Order order, std::uint64_t& work, const Ahead& ahead, const Visit& visit) {
  if (until < earliest_) return;
  while (move_down(work)) {
    const Place place = first_place();
    if (place.first_second > until) {
      cursor_ = std::max(cursor_, until);
      earliest_ = place.first_second;
      if (parked_.is_empty()) return;
      if (!visit_all(parked_, work, ahead, visit)) break;
      continue;
    }
    cursor_ = place.first_second;
    if (!can_visit(place, until, order)) {
      pick_up(place);
      continue;
    }
    Level& from = level(place.level);
    const bool goes_on = visit_all(from.buckets[place.digit], work, ahead, visit);
    if (from.buckets[place.digit].is_empty()) from.occupied &= ~bit(place.digit);
    if (!goes_on) break;
  }
  earliest_ = cursor_;
}

template <class Ahead, class Visit>
bool ExpiryWheel::visit_all(EntryQueue& queue, std::uint64_t& work, const Ahead& ahead, const Visit& visit) {
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
    Entry* const end = queue.end_of_first(work);
    Entry* entry = queue.begin;
    do {
      announce();
      goes_on = visit(*entry++);
    } while (goes_on && entry != end);
    work -= static_cast<std::uint64_t>(entry - queue.begin);
    pool_.drop_until(queue, entry);
  }
  return goes_on;
}

template <class Ahead, class Keep>
bool ExpiryWheel::sweep(const Ahead& ahead, const Keep& keep) {
  if (sweep_.chunks == 0 && !begin_next_queue()) return false;
  --sweep_.chunks;
  EntryQueue& queue = *swept_queue();
  if (queue.is_empty()) {  // it was visited meanwhile
    sweep_.chunks = 0;
    return true;
  }
  Entry* const end = queue.end_of_first();
  for (const Entry* entry = queue.begin; entry != end; ++entry) ahead(entry->slot);
  boost::container::static_vector<Entry, Chunk::capacity> kept;
  for (Entry* entry = queue.begin; entry != end; ++entry)
    if (keep(*entry)) kept.push_back(*entry);
  pool_.drop_until(queue, end);
  for (const Entry entry : kept) pool_.append(queue, entry);
  if (queue.is_empty() && sweep_.digit < width) levels_[sweep_.level]->occupied &= ~bit(sweep_.digit);
  return true;
}

template <class Show>
void ExpiryWheel::for_each(Show show) const {
  parked_.for_each(show);
  falling_.for_each(show);
  for_each_bucket([&](unsigned, unsigned, const EntryQueue& bucket) { bucket.for_each(show); });
}

}  // namespace mayfly::engine
