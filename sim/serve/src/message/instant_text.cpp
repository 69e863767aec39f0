#include "mayfly/serve/message/instant_text.hpp"

#include <charconv>
#include <chrono>

#include <fmt/format.h>

namespace mayfly::serve {

namespace {

/// Removes `digits` decimal digits from the front, and returns their number.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int number = 0;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return number;
}

/// Removes a mark and the number after it, such as the month after a dash. -1 if the text begins otherwise.
int take_after(std::string_view& text, char mark) {
  if (!text.starts_with(mark)) return -1;
  text.remove_prefix(1);
  return take_number(text, 2).value_or(-1);
}

std::optional<Instant> parse_date(std::string_view text) {
  using namespace std::chrono;
  const auto year_number = take_number(text, 4);
  const int month_number = take_after(text, '-');
  const int day_number = take_after(text, '-');
  if (!year_number || month_number < 0 || day_number < 0) return std::nullopt;
  const year_month_day date{year{*year_number}, month{static_cast<unsigned>(month_number)},
                            day{static_cast<unsigned>(day_number)}};
  if (!date.ok()) return std::nullopt;
  Seconds time{0};
  if (!text.empty()) {
    const int hour = take_after(text, 'T'), minute = take_after(text, ':'), second = take_after(text, ':');
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return std::nullopt;
    if (text != "Z") return std::nullopt;
    time = Seconds{hour * 3600 + minute * 60 + second};
  }
  return Instant{sys_days{date}} + time;
}

}  // namespace

std::optional<Instant> parse_instant(std::string_view text) {
  std::int64_t number = -1;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = problem == std::errc() && end == text.data() + text.size();
  const auto instant = is_number ? Instant{Seconds{number}} : parse_date(text);
  if (!instant || *instant < Instant{} || *instant > latest_instant) return std::nullopt;
  return instant;
}

std::string date_text(Instant instant) {
  using namespace std::chrono;
  const auto days = floor<std::chrono::days>(instant);
  const year_month_day date{days};
  const hh_mm_ss time{instant - days};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time.hours().count(),
                     time.minutes().count(), time.seconds().count());
}

}  // namespace mayfly::serve
