#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "mayfly/model/outcome.hpp"
#include "mayfly/model/time.hpp"

// The documents that every structure indexes: one cache line each, with fields for the structure.

namespace mayfly::bench {

using Slot = std::uint32_t;

/// 0 inherits, -1 never, or seconds.
using TtlNumber = std::int32_t;

inline constexpr Instant never = Instant::max();
inline constexpr Budget plenty{std::numeric_limits<std::uint64_t>::max()};

template <class Fields>
struct alignas(64) Document {
  Instant ts{};
  TtlNumber ttl = 0;
  bool stored = false;
  [[no_unique_address]] Fields fields{};

  /// Structures index exactly the documents for which this holds.
  bool can_expire() const { return stored && ttl >= 0; }

  void write(Instant now, TtlNumber new_ttl) {
    ts = now;
    ttl = new_ttl;
    stored = true;
  }
};

template <class Fields>
class Documents {
 public:
  static_assert(sizeof(Document<Fields>) == 64, "a document with the fields of a structure fills one cache line");

  explicit Documents(std::size_t count) : documents_(count) {}

  Document<Fields>& operator[](Slot slot) { return documents_[slot]; }
  const Document<Fields>& operator[](Slot slot) const { return documents_[slot]; }
  Slot size() const { return static_cast<Slot>(documents_.size()); }
  Slot slot_of(const Document<Fields>& document) const { return static_cast<Slot>(&document - documents_.data()); }
  auto begin() { return documents_.begin(); }
  auto end() { return documents_.end(); }

  /// The first second in which it is expired. Requires that it can expire.
  Instant deadline(const Document<Fields>& document) const {
    return document.ts + (document.ttl == 0 ? default_ttl : Seconds{document.ttl});
  }

  /// Whether an operation may see it (X2).
  bool is_live(Slot slot, Instant now) const {
    const auto& document = documents_[slot];
    return document.can_expire() ? deadline(document) > now : document.stored;
  }

  /// Always on in the benchmarks. A structure's `set_default` changes it.
  Seconds default_ttl{3600};

 private:
  std::vector<Document<Fields>> documents_;
};

}  // namespace mayfly::bench
