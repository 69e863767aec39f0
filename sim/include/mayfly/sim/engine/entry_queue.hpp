#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mayfly/sim/engine/filed.hpp"

// Queues of entries in chunks of 256 bytes, from a pool. To append is to write eight bytes next to the last eight.

namespace mayfly::engine {

struct Entry {
  Filed filed;
  SlotId slot;
  bool operator==(const Entry&) const = default;
};

// Aligned to its size, so that a pointer to an entry tells where its chunk ends.
struct alignas(256) Chunk {
  static constexpr std::size_t capacity = 31;

  std::array<Entry, capacity> entries;
  Chunk* next;

  static Chunk* of(const Entry* entry) {
    return reinterpret_cast<Chunk*>(reinterpret_cast<std::uintptr_t>(entry) & ~(sizeof(Chunk) - 1));
  }
  static bool is_end(const Entry* entry) {
    return reinterpret_cast<std::uintptr_t>(entry) % sizeof(Chunk) == capacity * sizeof(Entry);
  }
};
static_assert(sizeof(Chunk) == 256);

/// Without chunks if empty; otherwise `end` points to a free place.
struct EntryQueue {
  Entry* begin = nullptr;
  Entry* end = nullptr;
  std::uint32_t chunks = 0;

  bool is_empty() const { return begin == end; }

  /// The first entries: those that share a chunk, and at most so many.
  std::span<Entry> first(std::uint64_t most = Chunk::capacity) const {
    Chunk* const chunk = Chunk::of(begin);
    Entry* const end_in_chunk = chunk == Chunk::of(end) ? end : chunk->entries.data() + Chunk::capacity;
    return {begin, std::min<std::uint64_t>(most, static_cast<std::uint64_t>(end_in_chunk - begin))};
  }

  static const Entry* after(const Entry* entry) {
    return Chunk::is_end(++entry) ? Chunk::of(entry)->next->entries.data() : entry;
  }

  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const Entry* entry = begin; entry != end; entry = after(entry)) visit(*entry);
  }

  void prefetch_next_chunk() const {
    const Chunk* const chunk = Chunk::of(begin);
    if (chunk == Chunk::of(end)) return;
    for (std::size_t line = 0; line < sizeof(Chunk); line += 64)
      __builtin_prefetch(reinterpret_cast<const char*>(chunk->next) + line);
  }
};

/// Owns the chunks of the queues that are filled through it.
class ChunkPool {
 public:
  ChunkPool() = default;
  ChunkPool(const ChunkPool&) = delete;
  ChunkPool& operator=(const ChunkPool&) = delete;

  void swap(ChunkPool& other) noexcept {
    std::swap(free_, other.free_);
    std::swap(fresh_, other.fresh_);
    std::swap(fresh_end_, other.fresh_end_);
    std::swap(next_block_, other.next_block_);
    std::swap(bytes_, other.bytes_);
    std::swap(blocks_, other.blocks_);
  }

  [[gnu::always_inline]] void append(EntryQueue& queue, Entry entry) {
    if (!queue.end) begin(queue);
    if (Chunk::is_end(queue.end + 1))
      extend(queue, entry);
    else
      *queue.end++ = entry;
  }

  /// Takes out the first entries. Requires that they share a chunk.
  void drop(EntryQueue& queue, std::size_t count) {
    Chunk* const chunk = Chunk::of(queue.begin);
    Entry* const end = queue.begin + count;
    if (end == queue.end) {
      give_back(chunk);
      queue = {};
    } else if (Chunk::is_end(end)) {
      queue.begin = chunk->next->entries.data();
      --queue.chunks;
      give_back(chunk);
      if (queue.is_empty()) drop(queue, 0);
    } else {
      queue.begin = end;
    }
  }

  void clear(EntryQueue& queue) {
    while (!queue.is_empty()) drop(queue, queue.first().size());
  }

  /// What was allocated.
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t first_block = 4;
  static constexpr std::size_t largest_block = 4096;

  [[gnu::noinline]] void begin(EntryQueue& queue) {
    queue.begin = queue.end = take()->entries.data();
    queue.chunks = 1;
  }

  [[gnu::noinline]] void extend(EntryQueue& queue, Entry entry) {
    Chunk* const chunk = take();
    *queue.end = entry;
    Chunk::of(queue.end)->next = chunk;
    queue.end = chunk->entries.data();
    ++queue.chunks;
  }

  Chunk* take() {
    if (!free_ && fresh_ == fresh_end_) add_block();
    return free_ ? std::exchange(free_, free_->next) : fresh_++;
  }

  void give_back(Chunk* chunk) {
    chunk->next = free_;
    free_ = chunk;
  }

  // Blocks double up to a megabyte, so that a small pool is small, and a large one wastes little.
  void add_block() {
    blocks_.push_back(std::make_unique_for_overwrite<Chunk[]>(next_block_));
    fresh_ = blocks_.back().get();
    fresh_end_ = fresh_ + next_block_;
    bytes_ += next_block_ * sizeof(Chunk);
    next_block_ = std::min(2 * next_block_, largest_block);
  }

  Chunk* free_ = nullptr;
  Chunk* fresh_ = nullptr;  ///< from here on, those of the last block were never taken
  Chunk* fresh_end_ = nullptr;
  std::size_t next_block_ = first_block;  ///< its size, in chunks
  std::size_t bytes_ = 0;
  std::vector<std::unique_ptr<Chunk[]>> blocks_;
};

}  // namespace mayfly::engine
