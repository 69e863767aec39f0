#include "seed.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "mayfly/sim/input_error.hpp"

namespace mayfly::app {

std::optional<std::uint64_t> parse_number(std::string_view text, int base) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::uint64_t parse_seed(const std::string& text) {
  const bool is_commit =
      text.size() == 40 && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
  const auto seed = is_commit ? parse_number(std::string_view(text).substr(0, 16), 16) : parse_number(text);
  if (seed) return *seed;
  throw InputError(fmt::format("--seed must be a number below 2^64 or a 40-digit commit id, got \"{}\"", text));
}

}  // namespace mayfly::app
