#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// How simple names and values are.

namespace mayfly {

/// The letter of the usual names of a field: c0, p0, d0, and v0 of a value.
char letter_of(std::string_view field);

/// "d16".
std::string usual_name(char letter, std::uint64_t number);

bool is_usual(char letter, std::string_view text);

/// A usual name costs its number. Any other text costs more, the more the longer it is and the more unusual its
/// characters are.
std::uint64_t text_cost(char letter, std::string_view text);

/// The simplest of the letters, digits, upper-case letters, signs and of what is not ASCII, as far as they are simpler
/// than the character.
std::vector<std::string_view> simpler_characters(std::string_view character);

}  // namespace mayfly
