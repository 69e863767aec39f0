#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "mayfly/sim/random.hpp"
#include "structure.hpp"

// The comparison before anything is timed: on a script of all operations, a structure must expire the same documents in
// the same second as a scan of all documents.

namespace mayfly::bench {

/// The definition of expiry: correct, and slow.
class Scan {
 public:
  static constexpr std::string_view name = "scan";
  struct Fields {};

  explicit Scan(Documents<Fields>& documents) : documents_(documents) {}

  void write(Slot slot, Instant now, TtlNumber ttl) { documents_[slot].write(now, ttl); }
  void erase(Slot slot) { documents_[slot].stored = false; }
  void set_default(Instant, Seconds default_ttl) { documents_.default_ttl = default_ttl; }

  template <class F>
  bool expire(Instant now, Budget, F f) {
    for (auto& document : documents_) {
      if (!document.can_expire() || documents_.deadline(document) > now) continue;
      document.stored = false;
      f(documents_.slot_of(document));
    }
    return true;
  }

  Instant next() const {
    Instant first = never;
    for (auto& document : documents_)
      if (document.can_expire()) first = std::min(first, documents_.deadline(document));
    return first;
  }

 private:
  Documents<Fields>& documents_;
};

/// The expiries up to one second, independent of their order.
struct Purged {
  Instant second;
  std::uint64_t count = 0;
  std::uint64_t checksum = 0;
  Instant next;  ///< the answer at the end of the second
};

/// The script. It is the same for every structure, because it ignores their answers.
template <Structure S>
class Play {
 public:
  explicit Play(std::uint64_t seed) : random_(seed) {}

  std::vector<Purged> run(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) {
      now_ += step();
      purge();
      if (random_.one_in(50)) change_default();
      for (auto writes = random_.below(40); writes > 0; --writes) change_document();
      purged_.back().next = structure_.next();
    }
    return std::move(purged_);
  }

 private:
  // The time crosses 2^32 and the powers of two at which wheels turn.
  static constexpr Instant start{Seconds{(std::int64_t{1} << 32) - 20'000}};
  static constexpr Slot count = 2'000;

  Seconds step() {
    constexpr std::int64_t jumps[] = {60, 64, 3'600, 4'096, 86'400};
    if (random_.one_in(1'000)) return Seconds{31'536'000};
    return Seconds{random_.one_in(30) ? random_.pick<std::int64_t>(jumps) : 1};
  }

  void purge() {
    purged_.push_back({.second = now_});
    const auto note = [&purged = purged_.back()](Slot slot) {
      ++purged.count;
      purged.checksum += Random(slot).next();
    };
    const Budget budget{1 + random_.below(20)};
    while (!structure_.expire(now_, budget, note)) continue;
    purged_.back().next = structure_.next();
  }

  void change_default() {
    constexpr std::int64_t defaults[] = {1, 2, 60, 3'600, 7'200, 86'400, 2'147'483'647};
    structure_.set_default(now_, Seconds{random_.pick<std::int64_t>(defaults)});
    purge();
  }

  void change_document() {
    const auto slot = static_cast<Slot>(random_.below(count));
    if (documents_[slot].stored && random_.one_in(8)) return structure_.erase(slot);
    structure_.write(slot, now_, ttl());
  }

  TtlNumber ttl() {
    switch (random_.below(6)) {
      case 0:
        return -1;
      case 1:
        return static_cast<TtlNumber>(1 + random_.below(10));
      case 2:
        return static_cast<TtlNumber>(1 + random_.below(86'400));
      case 3:
        return static_cast<TtlNumber>(1 + (random_.next() >> (33 + random_.below(31))));
      default:
        return 0;
    }
  }

  Random random_;
  Documents<typename S::Fields> documents_{count};
  S structure_{documents_};
  Instant now_ = start;
  std::vector<Purged> purged_;
};

/// Names the first second in which the structure expires other documents than the scan; nothing if there is none.
template <Structure S>
std::optional<std::string> disagreement(std::uint64_t seed, std::size_t steps) {
  const auto expected = Play<Scan>(seed).run(steps);
  const auto actual = Play<S>(seed).run(steps);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto& [second, count, checksum, next] = expected[i];
    const auto at = fmt::format("{} at second {}", S::name, second.time_since_epoch().count());
    if (actual.size() <= i || actual[i].second != second) return at + ": no answer";
    if (actual[i].count != count) return fmt::format("{}: {} documents expired, not {}", at, actual[i].count, count);
    if (actual[i].checksum != checksum) return fmt::format("{}: {} other documents expired", at, count);
    if (actual[i].next > next || actual[i].next <= second) return at + ": the next expiry is wrong";
  }
  return std::nullopt;
}

}  // namespace mayfly::bench
