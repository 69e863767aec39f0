#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "mayfly/model/time.hpp"

// The state of stores as bytes, for exhaustive search: two states with the same bytes give the same answers in every
// future, except for a shift in time. A store writes everything that its answers can depend on, and its seconds through
// `ts` or `deadline`.
//
// Seconds are written relative to now. Of an old second, only its rank among the old ones is written, and nothing is
// lost:
//   - A store compares the seconds of writes with each other and with `now - n`, where n is a ttl or default of the
//     scope, at most the horizon. Once such a second is at or below `now - horizon`, it is at or below every later `now
//     - n`, and above none. From then on, comparisons with the clock treat all of these seconds alike, however old.
//   - A store compares deadlines with each other and with now. A deadline at or below now stays so.
//
// In both kinds, comparisons between two old seconds depend on their order alone, and a second that becomes old later
// is above all earlier old ones. So the order among the old seconds decides everything, and never changes.
//
// The states of several stores are written through one encoder and share one order of old seconds. So a difference
// between the `_ts` that two stores show is kept too.

namespace mayfly {

class StateEncoder {
 public:
  /// Requires that no ttl and no default in any reachable state is above the horizon. A store that may be wrong by some
  /// seconds in its comparisons needs a margin: seconds then count as old that much later.
  explicit StateEncoder(Seconds horizon, Seconds margin = Seconds{0}) : horizon_(horizon), margin_(margin) {}
  StateEncoder(const StateEncoder&) = delete;
  StateEncoder& operator=(const StateEncoder&) = delete;

  void begin(Instant now) {
    now_ = now;
    end_ = bytes_.data();
    writes_.clear();
    deadlines_.clear();
  }

  Instant now() const { return now_; }

  void number(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) *end_++ = static_cast<char>(number | 0x80);
    *end_++ = static_cast<char>(number);
    if (end_ > last_) grow(0);
  }

  void text(std::string_view text) {
    number(text.size());
    if (text.size() > slack) grow(text.size());
    char* end = end_;
    for (const char c : text) *end++ = c;  // names are short, so a call would take longer
    end_ = end;
    if (end_ > last_) grow(0);
  }

  /// A second in which something was written, or that a store compares with such a second.
  void ts(Instant second) { write(second, now_ - horizon_ - margin_, writes_); }

  /// A second in which something expires, or that a store compares with such a second.
  void deadline(Instant second) { write(second, now_ - margin_, deadlines_); }

  /// The state. Valid until the next `begin`.
  std::string_view finish() {
    rank(writes_);
    rank(deadlines_);
    return {bytes_.data(), static_cast<std::size_t>(end_ - bytes_.data())};
  }

 private:
  struct OldSecond {
    Instant second;
    std::size_t place;  ///< of its rank, in the bytes
  };
  static constexpr std::size_t slack = 16;
  using OldSeconds = boost::container::small_vector<OldSecond, 16>;

  void grow(std::size_t more) {
    const auto size = static_cast<std::size_t>(end_ - bytes_.data());
    bytes_.resize(2 * bytes_.size() + more);
    end_ = bytes_.data() + size;
    last_ = bytes_.data() + bytes_.size() - slack;
  }

  void write(Instant second, Instant old, OldSeconds& olds) {
    if (second > old) return number(static_cast<std::uint64_t>((second - old).count()));
    number(0);
    olds.push_back({second, static_cast<std::size_t>(end_ - bytes_.data())});
    number(0);
  }

  // The rank is the number of smaller old seconds: equal for equal seconds, and in their order otherwise.
  void rank(const OldSeconds& olds) {
    assert(olds.size() <= 256);
    for (const auto& [second, place] : olds) {
      std::size_t below = 0;
      for (const auto& other : olds) below += other.second < second ? 1 : 0;
      bytes_[place] = static_cast<char>(below);
    }
  }

  Seconds horizon_;
  Seconds margin_;
  Instant now_;
  // Small values are written without a check for room: `slack` bytes are always free behind the end.
  std::vector<char> bytes_ = std::vector<char>(1024);
  char* end_ = bytes_.data();
  char* last_ = bytes_.data() + bytes_.size() - slack;
  OldSeconds writes_;
  OldSeconds deadlines_;
};

}  // namespace mayfly
