#include "mayfly/sim/engine/expiry_wheel.hpp"

#include <algorithm>
#include <cassert>

namespace mayfly::engine {

void ExpiryWheel::swap(ExpiryWheel& other) noexcept {
  std::swap(cursor_, other.cursor_);
  std::swap(earliest_, other.earliest_);
  std::swap(chunks_, other.chunks_);
  std::swap(levels_, other.levels_);
  std::swap(falling_, other.falling_);
  std::swap(sweep_level_, other.sweep_level_);
  std::swap(sweep_digit_, other.sweep_digit_);
  std::swap(sweep_chunks_, other.sweep_chunks_);
  std::swap(free_, other.free_);
  std::swap(fresh_, other.fresh_);
  std::swap(fresh_end_, other.fresh_end_);
  std::swap(next_block_, other.next_block_);
  std::swap(block_bytes_, other.block_bytes_);
  std::swap(blocks_, other.blocks_);
}

// Keeps the memory that is there: exhaustive search copies a small wheel for every step.
ExpiryWheel& ExpiryWheel::operator=(const ExpiryWheel& other) {
  if (this == &other) return *this;
  clear();
  cursor_ = other.cursor_;
  earliest_ = other.earliest_;
  for_each_in(other.falling_, [&](Entry entry) { append(falling_, entry); });
  for (int number = 0; number < level_count; ++number) {
    const auto& from = other.levels_[static_cast<std::size_t>(number)];
    for (std::uint64_t occupied = from ? from->occupied : 0; occupied != 0; occupied &= occupied - 1) {
      const int digit = std::countr_zero(occupied);
      for_each_in(from->buckets[static_cast<std::size_t>(digit)], [&](Entry entry) { append(number, digit, entry); });
    }
  }
  return *this;
}

void ExpiryWheel::clear() {
  give_back_all(falling_);
  for (const auto& level : levels_) {
    if (!level) continue;
    for (; level->occupied != 0; level->occupied &= level->occupied - 1)
      give_back_all(level->buckets[static_cast<std::size_t>(std::countr_zero(level->occupied))]);
  }
  earliest_ = Instant::max();
  assert(is_empty());
  sweep_chunks_ = 0;
}

void ExpiryWheel::give_back_all(Bucket& bucket) {
  while (!bucket.is_empty()) drop_until(bucket, end_in_chunk(bucket));
}

void ExpiryWheel::begin(Bucket& bucket) {
  bucket.begin = bucket.end = take_chunk()->entries.data();
  bucket.chunks = 1;
}

void ExpiryWheel::extend(Bucket& bucket) {
  Chunk* const chunk = take_chunk();
  chunk_of(bucket.end)->next = chunk;
  bucket.end = chunk->entries.data();
  ++bucket.chunks;
}

// Blocks double up to a megabyte, so that a small wheel is small, and a large one wastes little.
void ExpiryWheel::add_block() {
  blocks_.push_back(std::make_unique_for_overwrite<Chunk[]>(next_block_));
  fresh_ = blocks_.back().get();
  fresh_end_ = fresh_ + next_block_;
  block_bytes_ += next_block_ * sizeof(Chunk);
  next_block_ = std::min(2 * next_block_, largest_block);
}

// The levels in turn: every entry of a lower level comes before those of a higher one. Buckets before the cursor's own
// digit are empty, but for the highest level, where they are those of the next round.
ExpiryWheel::Place ExpiryWheel::first_place() const {
  const Key cursor = key_of(cursor_);
  for (int number = 0; number < level_count; ++number) {
    const auto& level = levels_[static_cast<std::size_t>(number)];
    if (!level || level->occupied == 0) continue;
    const int own = digit(cursor, number);
    const int steps = std::countr_zero(std::rotr(level->occupied, own));
    const int shift = number * digit_bits;
    const Seconds into_own{cursor & ((Key{1} << shift) - 1)};
    return {number, (own + steps) & 63, cursor_ - into_own + Seconds{std::int64_t{steps} << shift}};
  }
  return {0, 0, Instant::max()};
}

void ExpiryWheel::pick_up(const Place& place) {
  Level& from = level(place.level);
  falling_ = std::exchange(from.buckets[static_cast<std::size_t>(place.digit)], {});
  from.occupied &= ~bit(place.digit);
}

// A bucket whose seconds have all passed is visited as it is. But a small one moves down like the others, so that a
// small wheel keeps the order.
bool ExpiryWheel::can_visit(const Place& place, Instant until) const {
  if (place.level == 0) return true;
  const auto& bucket = levels_[static_cast<std::size_t>(place.level)]->buckets[static_cast<std::size_t>(place.digit)];
  const Seconds width{std::int64_t{1} << (place.level * digit_bits)};
  return bucket.chunks > 2 && place.first_second + width <= until + Seconds{1};
}

bool ExpiryWheel::move_down(std::uint64_t& work) {
  while (!falling_.is_empty()) {
    if (work == 0) return false;
    prefetch_next_chunk(falling_);
    Entry* const end = std::min(end_in_chunk(falling_), falling_.begin + work);
    for (const Entry* entry = falling_.begin; entry != end; ++entry) place(*entry);
    work -= static_cast<std::uint64_t>(end - falling_.begin);
    drop_until(falling_, end);
  }
  return true;
}

void ExpiryWheel::begin_next_sweep() {
  for (int tries = 0; tries < level_count * 64; ++tries) {
    if (++sweep_digit_ == 64) {
      sweep_digit_ = 0;
      sweep_level_ = (sweep_level_ + 1) % level_count;
    }
    const auto& level = levels_[static_cast<std::size_t>(sweep_level_)];
    if (!level || (level->occupied & bit(sweep_digit_)) == 0) continue;
    sweep_chunks_ = level->buckets[static_cast<std::size_t>(sweep_digit_)].chunks;
    return;
  }
  sweep_chunks_ = 1;  // all is falling
}

std::size_t ExpiryWheel::bytes() const {
  std::size_t bytes = sizeof *this + block_bytes_;
  for (const auto& level : levels_) bytes += level ? sizeof(Level) : 0;
  return bytes;
}

void ExpiryWheel::check_invariants() const {
  std::size_t chunks = 0;
  const auto check = [&](const Bucket& bucket, int level_number, int d) {
    chunks += bucket.chunks;
    assert(bucket.is_empty() == (bucket.chunks == 0));
    for_each_in(bucket, [&]([[maybe_unused]] Entry entry) {
      assert(distance(entry.key) <= static_cast<Key>(reach.count()));
      assert(second_of(entry.key) >= earliest_);
      assert(level_number < 0 || (level_of(entry.key) == level_number && digit(entry.key, level_number) == d));
    });
  };
  check(falling_, -1, 0);
  for (int number = 0; number < level_count; ++number) {
    const auto& level = levels_[static_cast<std::size_t>(number)];
    for (int d = 0; level && d < 64; ++d) {
      const auto& bucket = level->buckets[static_cast<std::size_t>(d)];
      assert(bucket.is_empty() == ((level->occupied & bit(d)) == 0));
      const bool is_passing = number > 0 && d == digit(key_of(cursor_), number);
      check(bucket, is_passing ? -1 : number, d);
    }
  }
  assert(chunks == chunks_);
}

}  // namespace mayfly::engine
