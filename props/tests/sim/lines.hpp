#pragma once

#include <cstdint>
#include <vector>

#include "mayfly/sim/engine/filed.hpp"

namespace mayfly::test {

struct Line {
  Instant ts{};
  std::int32_t ttl = 0;
  bool stored = false;
  engine::Filed filed;
};

/// Documents that can do what the expiry index asks for, and nothing else.
struct Lines {
  engine::Filed& filed(engine::SlotId slot) { return lines[slot].filed; }
  const engine::Filed& filed(engine::SlotId slot) const { return lines[slot].filed; }
  engine::Filable filable(engine::SlotId slot) const {
    const auto& [ts, ttl, stored, filed] = lines[slot];
    if (!stored || ttl < 0) return {};
    if (ttl == 0) return {engine::Filing::by_ts, ts};
    return {engine::Filing::by_deadline, ts + Seconds{ttl}};
  }
  std::size_t slot_end() const { return lines.size(); }
  void prefetch(engine::SlotId) const {}

  std::vector<Line> lines;
};

}  // namespace mayfly::test
