#include "mayfly/sim/engine/expiry_wheel.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace mayfly::engine {

void ExpiryWheel::swap(ExpiryWheel& other) noexcept {
  std::swap(cursor_, other.cursor_);
  std::swap(earliest_, other.earliest_);
  std::swap(expected_, other.expected_);
  std::swap(size_, other.size_);
  std::swap(occupied_, other.occupied_);
  std::swap(levels_, other.levels_);
  pool_.swap(other.pool_);
  std::swap(sweep_at_, other.sweep_at_);
  std::swap(sweep_chunks_, other.sweep_chunks_);
}

// Keeps the memory that is there: exhaustive search copies a small wheel for every step.
ExpiryWheel& ExpiryWheel::operator=(const ExpiryWheel& other) {
  if (this == &other) return *this;
  clear();
  cursor_ = other.cursor_;
  earliest_ = other.earliest_;
  expected_ = other.expected_;
  size_ = other.size_;
  other.for_each_bucket([&](unsigned level, unsigned digit, const EntryQueue& bucket) {
    bucket.for_each([&](Entry entry) { append(level, digit, entry); });
  });
  sweep_at_ = other.sweep_at_;
  sweep_chunks_ = other.sweep_chunks_;
  return *this;
}

void ExpiryWheel::add_level(unsigned level) { levels_[level] = std::make_unique<Level>(); }

void ExpiryWheel::clear() {
  for_each_bucket([&](unsigned level, unsigned digit, const EntryQueue&) { pool_.clear(bucket(level, digit)); });
  occupied_ = {};
}

void ExpiryWheel::take_whole_turns(Instant until) {
  const Seconds beyond = until - (cursor_ + reach);
  if (beyond > turn) cursor_ += beyond / turn * turn;
}

// The cursor's own buckets come first: they hold what is left of a bucket, and the cursor is at its first second. Then
// the levels in turn: every entry of a lower level comes before those of a higher one. Buckets before the cursor's own
// digit are empty, but for the highest level, where they are those of the next turn.
ExpiryWheel::Place ExpiryWheel::first_place() const {
  const Key cursor = key_of(cursor_);
  for (unsigned level = level_count - 1; level > 0; --level)
    if (occupied_[level] & bit(digit(cursor, level))) return {level, digit(cursor, level), cursor_};
  for (unsigned level = 0; level < level_count; ++level) {
    if (occupied_[level] == 0) continue;
    const unsigned own = digit(cursor, level);
    const auto steps = static_cast<unsigned>(std::countr_zero(std::rotr(occupied_[level], static_cast<int>(own))));
    const unsigned shift = level * digit_bits;
    const Key first = (cursor >> shift) + steps;
    return {level, (own + steps) % width, cursor_ + distance(first << shift)};
  }
  return {0, 0, Instant::max()};
}

bool ExpiryWheel::move_down(const Place& place, std::uint64_t& work) {
  EntryQueue& queue = bucket(place.level, place.digit);
  while (!queue.is_empty()) {
    if (work == 0) return false;
    queue.prefetch_next_chunk();
    const auto entries = queue.first(work);
    for (const Entry entry : entries) this->place(entry);
    work -= entries.size();
    pool_.drop(queue, entries.size());
  }
  occupied_[place.level] &= ~bit(place.digit);
  return true;
}

void ExpiryWheel::sort(EntryQueue& bucket) {
  const auto entries = bucket.first();
  std::sort(entries.begin(), entries.end(), [](Entry a, Entry b) { return a.slot < b.slot; });
}

bool ExpiryWheel::begin_next_bucket() {
  while (sweep_at_-- > 0) {
    if (!(occupied_[sweep_at_ / width] & bit(sweep_at_ % width))) continue;
    sweep_chunks_ = bucket(sweep_at_ / width, sweep_at_ % width).chunks;
    return true;
  }
  sweep_at_ = level_count * width;
  sweep_chunks_ = 0;
  return false;
}

std::size_t ExpiryWheel::bytes() const {
  std::size_t bytes = sizeof *this + pool_.bytes();
  for (const auto& level : levels_) bytes += level ? sizeof(Level) : 0;
  return bytes;
}

void ExpiryWheel::check_invariants() const {
  std::size_t entries = 0;
  for_each_bucket([&](unsigned level, unsigned d, const EntryQueue& bucket) {
    assert(!bucket.is_empty());
    bucket.for_each([&](Entry entry) {
      ++entries;
      [[maybe_unused]] const Key key = entry.filed.key();
      assert(distance(key) <= reach);
      assert(second_of(entry.filed) >= earliest_);
      if (level > 0 && d == digit(key_of(cursor_), level)) return;  // its visit was interrupted
      assert(level_of(key) == level && digit(key, level) == d);
    });
  });
  assert(entries == size_);
}

}  // namespace mayfly::engine
