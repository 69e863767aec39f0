#include "draft.hpp"

#include <algorithm>
#include <limits>

#include <boost/json.hpp>

namespace mayfly {

namespace {

constexpr std::int64_t today = 1'700'000'000;

// At their multiples calendars, wheels and counters turn over.
constexpr std::int64_t minute = 60, hour = 3'600, day = 86'400;
constexpr std::array<std::int64_t, 13> rounds{minute, hour,  day,   hour,   day,    7 * day, 64,
                                              256,    1'024, 4'096, 65'536, 65'536, 1 << 18};

// Milliseconds overflow 31 and 32 bits after 24.8 and 49.7 days. Beyond 30 days some stores take a ttl for a time, and
// 20 years is the most that one of them has.
constexpr std::array<std::int64_t, 14> named_lives{minute,    hour,      day,         7 * day,    30 * day,
                                                   31 * day,  90 * day,  365 * day,   2'147'483,  2'147'484,
                                                   4'294'967, 4'294'968, 630'720'000, largest_ttl};

// What a careless reader takes for a ttl: cut to 32 or 64 bits the numbers are valid ones, and the other values are
// what a language may convert to a number.
const std::array<TtlField, 24> invalid_ones{
    std::int64_t{0},
    std::int64_t{-2},
    std::int64_t{-3},
    std::int64_t{-3600},
    -largest_ttl - 1,
    largest_ttl + 1,
    std::int64_t{1} << 32,
    (std::int64_t{1} << 32) - 1,
    (std::int64_t{1} << 32) + 5,
    3 * (std::int64_t{1} << 32) + 1,
    -(std::int64_t{1} << 32) + 5,
    (std::int64_t{1} << 53) + 1,
    std::numeric_limits<std::int64_t>::min(),
    std::numeric_limits<std::int64_t>::max(),
    Null{},
    OtherJson{"18446744073709555712"},  // 2^64 + 4096, which a double holds
    OtherJson{"1E300"},
    OtherJson{"1.5E0"},
    OtherJson{"\"5\""},
    OtherJson{"\"\""},
    OtherJson{"true"},
    OtherJson{"false"},
    OtherJson{"[5]"},
    OtherJson{"[]"},
};

// In milliseconds they overflow 63 or 64 bits by little or just do not, and some are valid ttls then.
const std::array<TtlField, 10> invalid_large_ones{
    std::numeric_limits<std::int64_t>::max() / 1'000,
    std::numeric_limits<std::int64_t>::max() / 1'000 + 1,
    std::numeric_limits<std::int64_t>::max(),
    std::numeric_limits<std::int64_t>::max() - today,
    std::int64_t{18'446'744'073'709'551},
    std::int64_t{18'446'744'073'709'561},
    OtherJson{"9.223372036854775808E18"},
    OtherJson{"1E19"},
    OtherJson{"1E300"},
    OtherJson{"-1E300"},
};

}  // namespace

void Draft::begin() {
  now_ = draw_start();
  case_.start = Instant{Seconds{now_}};
}

std::int64_t Draft::draw_start() {
  const auto before = static_cast<std::int64_t>(random_.below(12));
  if (world_.times == World::Times::every_magnitude && !random_.one_in(4)) {
    const auto some_day = today + static_cast<std::int64_t>(random_.below(1'000'000'000));
    const std::int64_t round = draw_round();
    return some_day - some_day % round + round - before;
  }
  constexpr std::array<std::int64_t, 6> edges{
      0, today, today, std::int64_t{1} << 31, std::int64_t{1} << 32, (std::int64_t{1} << 32) - largest_ttl};
  const auto edge = random_.pick<std::int64_t>(edges);
  return edge == 0 ? before : edge - before;
}

TtlField Draft::draw_invalid() {
  if (world_.times == World::Times::every_magnitude && random_.one_in(2))
    return random_.pick<TtlField>(invalid_large_ones);
  const auto which = random_.below(invalid_ones.size() + 1);
  return which == invalid_ones.size() ? OtherJson{"{}"} : invalid_ones[which];
}

// A number that is whole by its value is one however it is written: 5E0 is 5 (T3).
TtlField Draft::written(std::int64_t number) {
  if (!random_.one_in(24)) return number;
  return OtherJson{boost::json::serialize(boost::json::value(static_cast<double>(number)))};
}

std::int64_t Draft::draw_seconds() {
  if (world_.times == World::Times::every_magnitude && !random_.one_in(3)) return seconds_of_any_magnitude();
  const auto which = random_.below(16);
  if (which < 4) return 1;
  if (which < 7) return within_a_step(2);
  if (which < 13) return within_a_step(static_cast<std::int64_t>(1 + random_.below(10)));
  if (which < 14) return within_a_step(static_cast<std::int64_t>(1 + random_.below(200'000)));
  return which == 14 ? largest_ttl : largest_ttl - static_cast<std::int64_t>(random_.below(12));
}

// What the clock cannot reach in a step tells nothing: short ones instead, but for the longest of all.
std::int64_t Draft::within_a_step(std::int64_t seconds) const { return 1 + (seconds - 1) % world_.longest_step; }

std::int64_t Draft::seconds_of_any_magnitude() {
  const auto which = random_.below(8);
  if (which < 4) return seconds_to_a_round_time();
  if (which == 4) return random_.pick<std::int64_t>(named_lives);
  const std::int64_t power = std::int64_t{1} << (which == 5 ? random_.below(31) : 20 + random_.below(11));
  const std::int64_t more = random_.one_in(2)
                                ? static_cast<std::int64_t>(random_.below(3)) - 1
                                : static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(power)));
  return std::max<std::int64_t>(1, power + more);
}

std::int64_t Draft::draw_round() { return random_.pick<std::int64_t>(rounds); }

/// From now to one of the next multiples of a round number.
std::int64_t Draft::seconds_to_a_round_time() {
  const std::int64_t round = draw_round();
  const auto turns = static_cast<std::int64_t>(1 + (random_.one_in(4) ? random_.below(3) : 0));
  return turns * round - now_ % round;
}

TtlField Draft::draw_ttl() {
  const auto which = random_.below(16);
  if (which < 5) return Absent{};
  if (which < 7) return written(-1);
  if (which == 7) return draw_invalid();
  return written(draw_seconds());
}

std::int64_t Draft::draw_step(std::uint64_t which) {
  if (which < 3) return 1;
  if (world_.times == World::Times::every_magnitude && random_.one_in(2))
    return std::max<std::int64_t>(0, seconds_to_a_round_time() + static_cast<std::int64_t>(random_.below(3)) - 1);
  if (which < 7) return static_cast<std::int64_t>(random_.below(12));
  return random_.one_in(4) ? largest_ttl : static_cast<std::int64_t>(random_.below(200'000));
}

Advance Draft::step_of_clock(std::int64_t step) {
  step = std::min(step, world_.longest_step);
  step = std::min(step, (latest_instant.time_since_epoch() - Seconds{now_}).count());
  now_ += step;
  return Advance{Seconds{step}};
}

std::string Draft::draw_value() {
  if (world_.values == World::Words::twisted) return twisted_value(random_, value_size_);
  if (random_.one_in(10)) return {};
  if (random_.one_in(200)) return std::string(1'000 + random_.below(2'000), 'x');  // more than a kilobyte costs more
  std::string value = "v";
  value += static_cast<char>('0' + random_.below(10));
  value += static_cast<char>('0' + random_.below(10));
  return value;
}

Budget Draft::draw_budget() {
  constexpr std::array<std::uint64_t, 6> budgets{0, 1, 2, 3, 1000, 1000};
  return {random_.pick<std::uint64_t>(budgets)};
}

}  // namespace mayfly
