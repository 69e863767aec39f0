#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

// Texts as characters of UTF-8. A byte that belongs to no character is one of its own.

namespace mayfly {

/// The number of bytes of the first character. Requires that the text is not empty.
inline std::size_t length_of_first(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  for (std::size_t i = 1; i < length; ++i)
    if (i >= text.size() || (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 1;
  return length;
}

/// Calls `f(character)` for each of them.
template <class F>
void for_each_character(std::string_view text, F f) {
  while (!text.empty()) {
    const std::size_t length = length_of_first(text);
    f(text.substr(0, length));
    text.remove_prefix(length);
  }
}

inline std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> characters;
  for_each_character(text, [&](std::string_view character) { characters.push_back(character); });
  return characters;
}

}  // namespace mayfly
