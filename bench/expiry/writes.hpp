#pragma once

#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "documents.hpp"
#include "mayfly/sim/random.hpp"

// The writes of a workload: drawn before they are timed, and the same for all structures.

namespace mayfly::bench {

struct Write {
  Slot slot = 0;
  TtlNumber ttl = 0;
};

/// The distribution of the ttl of writes.
enum class Ttls {
  inherit,
  eight,        ///< from a minute to a week, by the kind of the document, of which there are eight
  uniform,      ///< 1..86400, drawn for every write
  log_uniform,  ///< 1..2^31-1, drawn for every write: as often below a minute as between an hour and two and a half
                ///< days
};

inline TtlNumber draw_ttl(Ttls ttls, Slot slot, Random& random) {
  constexpr std::array<TtlNumber, 8> kinds = {60, 300, 900, 1'800, 3'600, 14'400, 86'400, 604'800};
  switch (ttls) {
    case Ttls::inherit:
      return 0;
    case Ttls::eight:
      return kinds[slot % kinds.size()];
    case Ttls::uniform:
      return static_cast<TtlNumber>(1 + random.below(86'400));
    case Ttls::log_uniform:
      break;
  }
  const double exponent = 31 * static_cast<double>(random.next() >> 11) * 0x1p-53;
  return static_cast<TtlNumber>(std::exp2(exponent));
}

/// An endless sequence of writes to documents drawn at random.
class Writes {
 public:
  Writes(std::size_t documents, Ttls ttls, std::uint64_t seed)
      : documents_(static_cast<Slot>(documents)), random_(seed), writes_(std::max<std::size_t>(documents, 1 << 16)) {
    for (auto& write : writes_) {
      write.slot = static_cast<Slot>(random_.below(documents_));
      write.ttl = draw_ttl(ttls, write.slot, random_);
    }
  }

  /// The next `count` writes.
  std::span<const Write> next(std::size_t count) {
    batch_.resize(count);
    for (auto& write : batch_) write = next();
    return batch_;
  }

 private:
  // Shifts the documents, because some were not drawn; by a multiple of eight, so that a document keeps its kind.
  void begin_again() {
    at_ = 0;
    shift_ = static_cast<Slot>(random_.below(documents_) & ~std::uint64_t{7});
  }

  Write next() {
    if (at_ == writes_.size()) begin_again();
    Write write = writes_[at_++];
    write.slot += shift_;
    if (write.slot >= documents_) write.slot -= documents_;
    return write;
  }

  Slot documents_;
  Random random_;
  std::vector<Write> writes_;
  std::vector<Write> batch_;
  std::size_t at_ = 0;
  Slot shift_ = 0;
};

/// Every document once, in random order.
inline std::vector<Slot> shuffled(std::size_t documents, std::uint64_t seed) {
  std::vector<Slot> slots(documents);
  std::iota(slots.begin(), slots.end(), Slot{0});
  Random random(seed);
  for (std::size_t i = documents; i > 1; --i) std::swap(slots[i - 1], slots[random.below(i)]);
  return slots;
}

}  // namespace mayfly::bench
