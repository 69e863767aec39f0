#pragma once

#include <algorithm>
#include <malloc.h>
#include <optional>
#include <span>
#include <type_traits>

#include "../cpu_clock.hpp"
#include "../interrupt.hpp"
#include "structure.hpp"
#include "writes.hpp"

namespace mayfly::bench {

/// Bytes that the allocator has handed out, with its own overhead.
inline double heap_in_use() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

template <class S>
constexpr bool is_blind = false;
template <class S>
requires requires { S::is_blind; }
constexpr bool is_blind<S> = true;

/// A structure, its documents and the clock, with a purge in every second.
template <Structure S>
class Stage {
 public:
  explicit Stage(std::size_t count) : documents(count) { clear(); }

  /// Back to no documents and an empty structure.
  void clear() {
    structure.reset();
    for (auto& document : documents) document = {};
    heap_before_ = heap_in_use();
    structure.emplace(documents);
    purge();
  }

  /// A store reads the document first: its answer depends on whether that is live (X2).
  [[gnu::always_inline]] void write(Slot slot, TtlNumber ttl) {
    if constexpr (!is_blind<S>) live += documents.is_live(slot, now) ? 1 : 0;
    structure->write(slot, now, ttl);
  }

  void tick() {
    now += Seconds{1};
    purge();
  }

  void purge() {
    structure->expire(now, plenty, [this](Slot) { ++expired; });
  }

  /// Writes the documents in this order, spread over the given seconds. Throws Interrupted.
  void fill(std::span<const Slot> slots, Seconds seconds, auto ttl_of) {
    const auto each_second = 1 + slots.size() / static_cast<std::size_t>(seconds.count());
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (i % each_second == each_second - 1) {
        stop_if_interrupted();
        tick();
      }
      write(slots[i], ttl_of(slots[i]));
    }
  }

  /// The structure's memory for each document, with its fields in the document.
  double bytes() const {
    const double fields = std::is_empty_v<typename S::Fields> ? 0 : sizeof(typename S::Fields);
    return fields + (heap_in_use() - heap_before_) / documents.size();
  }

  /// What is allocated between the two is not the structure's.
  void pause() { heap_before_ -= heap_in_use(); }
  void resume() { heap_before_ += heap_in_use(); }

  Documents<typename S::Fields> documents;
  std::optional<S> structure;
  /// Starts soon after a turn of a wheel's level (262,144 s), whose cost would distort short runs.
  Instant now{Seconds{1'700'006'400}};
  std::uint64_t expired = 0;
  std::uint64_t live = 0;  ///< how many were live when they were written
  Instant wakes_at{};      ///< the last answer of `next`

 private:
  double heap_before_ = 0;
};

}  // namespace mayfly::bench
