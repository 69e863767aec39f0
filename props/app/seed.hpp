#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mayfly::app {

/// Nothing if the text is not a whole number, or the number does not fit.
template <class Number = std::uint64_t>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// The value of --seed: a number, or a commit id, read as one. Throws InputError.
std::uint64_t parse_seed(const std::string& text);

}  // namespace mayfly::app
