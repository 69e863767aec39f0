#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "mayfly/serve/query/work_meter.hpp"

// Texts of queries by characters. All texts are valid UTF-8, and a character is a code point.

namespace mayfly::serve {

std::size_t count_characters(std::string_view text);

/// Where the character of this number begins, or the end of the text.
std::size_t byte_of_character(std::string_view text, double number);

/// Requires a text that is not empty.
std::string_view first_character(std::string_view text);
std::string_view last_character(std::string_view text);

enum class LetterCase { lower, upper };

/// The text in one case: of Latin, Greek and Cyrillic letters those that have one counterpart. Others stay as they are.
std::string in_case(std::string_view text, LetterCase wanted);

/// Whether the text is like the pattern: `%` stands for any text, `_` for any character, `[a-f]` for one of these, and
/// `[^a-f]` for any other. What follows the character `escape`, if there is one, stands for itself.
bool is_like(std::string_view text, std::string_view pattern, std::string_view escape, WorkMeter& work);

}  // namespace mayfly::serve
