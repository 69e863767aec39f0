#pragma once

#include <chrono>
#include <cstdint>

namespace mayfly {

using Seconds = std::chrono::duration<std::int64_t>;

/// A second of Unix time, the finest unit of the rules.
using Instant = std::chrono::sys_time<Seconds>;

constexpr std::int64_t second_of(Instant instant) { return instant.time_since_epoch().count(); }

/// The last second of the year 9999. No clock passes it, so that `_ts` plus any ttl is exact in 64 bits (X5).
inline constexpr Instant latest_instant{Seconds{253'402'300'799}};

}  // namespace mayfly
