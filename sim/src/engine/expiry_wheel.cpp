#include "mayfly/sim/engine/expiry_wheel.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace mayfly::engine {

void ExpiryWheel::swap(ExpiryWheel& other) noexcept {
  std::swap(cursor_, other.cursor_);
  std::swap(earliest_, other.earliest_);
  pool_.swap(other.pool_);
  std::swap(levels_, other.levels_);
  std::swap(falling_, other.falling_);
  std::swap(parked_, other.parked_);
  std::swap(sweep_, other.sweep_);
}

// Keeps the memory that is there: exhaustive search copies a small wheel for every step.
ExpiryWheel& ExpiryWheel::operator=(const ExpiryWheel& other) {
  if (this == &other) return *this;
  clear();
  cursor_ = other.cursor_;
  earliest_ = other.earliest_;
  other.falling_.for_each([&](Entry entry) { pool_.append(falling_, entry); });
  other.parked_.for_each([&](Entry entry) { pool_.append(parked_, entry); });
  other.for_each_bucket([&](unsigned number, unsigned digit, const EntryQueue& bucket) {
    bucket.for_each([&](Entry entry) { append(number, digit, entry); });
  });
  sweep_ = other.sweep_;
  return *this;
}

void ExpiryWheel::add_level(unsigned number) { levels_[number] = std::make_unique<Level>(); }

void ExpiryWheel::clear() {
  pool_.clear(falling_);
  pool_.clear(parked_);
  for_each_bucket(
      [&](unsigned number, unsigned digit, const EntryQueue&) { pool_.clear(levels_[number]->buckets[digit]); });
  for (const auto& level : levels_)
    if (level) level->occupied = 0;
  assert(is_empty());
  earliest_ = Instant::max();
  sweep_ = {};
}

// The levels in turn: every entry of a lower level comes before those of a higher one. Buckets before the cursor's own
// digit are empty, but for the highest level, where they are those of the next round.
ExpiryWheel::Place ExpiryWheel::first_place() const {
  const Key cursor = key_of(cursor_);
  for (unsigned number = 0; number < level_count; ++number) {
    const auto& level = levels_[number];
    if (!level || level->occupied == 0) continue;
    const unsigned own = digit(cursor, number);
    const auto steps = static_cast<unsigned>(std::countr_zero(std::rotr(level->occupied, static_cast<int>(own))));
    const unsigned shift = number * digit_bits;
    const Seconds into_own{cursor & ((Key{1} << shift) - 1)};
    return {number, (own + steps) % width, cursor_ - into_own + Seconds{std::int64_t{steps} << shift}};
  }
  return {0, 0, Instant::max()};
}

// A bucket whose seconds have all passed is visited as it is, if the order does not matter.
bool ExpiryWheel::can_visit(const Place& place, Instant until, Order order) {
  if (place.level == 0) return true;
  const Seconds seconds{std::int64_t{1} << (place.level * digit_bits)};
  return order == Order::any && place.first_second + seconds <= until + Seconds{1};
}

void ExpiryWheel::pick_up(const Place& place) {
  Level& from = level(place.level);
  falling_ = std::exchange(from.buckets[place.digit], {});
  from.occupied &= ~bit(place.digit);
}

bool ExpiryWheel::move_down(std::uint64_t& work) {
  while (!falling_.is_empty()) {
    if (work == 0) return false;
    falling_.prefetch_next_chunk();
    Entry* const end = falling_.end_of_first(work);
    for (const Entry* entry = falling_.begin; entry != end; ++entry) place(*entry);
    work -= static_cast<std::uint64_t>(end - falling_.begin);
    pool_.drop_until(falling_, end);
  }
  return true;
}

EntryQueue* ExpiryWheel::swept_queue() {
  if (sweep_.digit == width) return sweep_.level == level_count ? &parked_ : &falling_;
  return levels_[sweep_.level] ? &levels_[sweep_.level]->buckets[sweep_.digit] : nullptr;
}

bool ExpiryWheel::begin_next_queue() {
  while (sweep_.digit < width || sweep_.level > 0) {
    if (++sweep_.digit > width) {
      sweep_.digit = 0;
      --sweep_.level;
    }
    const EntryQueue* const queue = swept_queue();
    sweep_.chunks = queue ? queue->chunks : 0;
    if (sweep_.chunks > 0) return true;
  }
  sweep_ = {};
  return false;
}

std::size_t ExpiryWheel::bytes() const {
  std::size_t bytes = sizeof *this + pool_.bytes();
  for (const auto& level : levels_) bytes += level ? sizeof(Level) : 0;
  return bytes;
}

void ExpiryWheel::check_invariants() const {
  std::size_t chunks = falling_.chunks + parked_.chunks;
  const auto check_second = [&]([[maybe_unused]] Entry entry) {
    assert(distance(entry.key) <= static_cast<Key>(reach.count()));
    assert(second_of(entry.key) >= earliest_);
  };
  falling_.for_each(check_second);
  for_each_bucket([&](unsigned number, unsigned d, const EntryQueue& bucket) {
    assert(!bucket.is_empty());
    chunks += bucket.chunks;
    bucket.for_each(check_second);
    if (number > 0 && d == digit(key_of(cursor_), number)) return;  // its visit was interrupted
    bucket.for_each(
        [&]([[maybe_unused]] Entry entry) { assert(level_of(entry.key) == number && digit(entry.key, number) == d); });
  });
  assert(chunks == pool_.in_use());
}

}  // namespace mayfly::engine
