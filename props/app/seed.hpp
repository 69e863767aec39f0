#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mayfly::app {

/// Nothing if it is no number, or too large for 64 bits.
std::optional<std::uint64_t> parse_number(std::string_view text, int base = 10);

/// What --seed says: a number, or a commit id, which is one too. Throws InputError.
std::uint64_t parse_seed(const std::string& text);

}  // namespace mayfly::app
