#include "mayfly/rest/http_date.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "mayfly/rest/lower_case.hpp"

namespace mayfly::rest {

namespace {

constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

bool is_same(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](char a, char b) { return lower_case(a) == lower_case(b); });
}

int number_in(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::string http_date(Instant instant) {
  constexpr std::array<std::string_view, 7> weekdays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  const auto day = std::chrono::floor<std::chrono::days>(instant);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(instant - day);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", weekdays[std::chrono::weekday(day).c_encoding()],
                     unsigned{date.day()}, months[unsigned{date.month()} - 1], int{date.year()}, time.hours().count(),
                     time.minutes().count(), time.seconds().count());
}

// The text is a date exactly if the date that its numbers make is written like it.
std::optional<Instant> parse_http_date(std::string_view text) {
  using namespace std::chrono;
  constexpr std::size_t size = 29;
  if (text.size() != size) return std::nullopt;
  const auto month = std::find_if(months.begin(), months.end(),
                                  [&](std::string_view name) { return is_same(name, text.substr(8, name.size())); });
  const year_month_day date{year{number_in(text.substr(12, 4))},
                            std::chrono::month{static_cast<unsigned>(month - months.begin()) + 1},
                            day{static_cast<unsigned>(number_in(text.substr(5, 2)))}};
  if (!date.ok()) return std::nullopt;
  const Seconds time{number_in(text.substr(17, 2)) * 3600 + number_in(text.substr(20, 2)) * 60 +
                     number_in(text.substr(23, 2))};
  const Instant instant = Instant{sys_days{date}} + time;
  if (!is_same(text, http_date(instant))) return std::nullopt;
  return instant;
}

}  // namespace mayfly::rest
