#include "mayfly/props/shrink/texts.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "mayfly/sim/utf8.hpp"

namespace mayfly {

namespace {

// More than any number in a usual name.
constexpr std::uint64_t unusual_cost = 1'000'000;
constexpr std::size_t most_digits = 6;

constexpr std::array<std::string_view, 5> simplest{"a", "0", "A", " ", "\xC3\xA9"};

bool is_in(char c, char first, char last) { return c >= first && c <= last; }

std::uint64_t character_cost(std::string_view character) {
  const auto found = std::find(simplest.begin(), simplest.end(), character);
  if (found != simplest.end()) return 1 + static_cast<std::uint64_t>(found - simplest.begin());
  if (character.size() > 1) return simplest.size() + 3 + character.size();
  const char c = character.front();
  if (is_in(c, 'a', 'z') || is_in(c, 'A', 'Z') || is_in(c, '0', '9')) return simplest.size() + 1;
  return simplest.size() + (is_in(c, ' ', '~') ? 2 : 3);
}

}  // namespace

char letter_of(std::string_view field) {
  return field == "collection" ? 'c' : field == "partition" ? 'p' : field == "id" ? 'd' : 'v';
}

std::string usual_name(char letter, std::uint64_t number) { return letter + std::to_string(number); }

bool is_usual(char letter, std::string_view text) {
  if (text.size() < 2 || text.size() > 1 + most_digits || text.front() != letter) return false;
  const std::string_view digits = text.substr(1);
  return std::all_of(digits.begin(), digits.end(), [](char c) { return is_in(c, '0', '9'); }) &&
         (digits.size() == 1 || digits.front() != '0');
}

std::uint64_t text_cost(char letter, std::string_view text) {
  std::uint64_t cost = 0;
  if (is_usual(letter, text)) {
    std::from_chars(text.data() + 1, text.data() + text.size(), cost);
    return cost;
  }
  for_each_character(text, [&](std::string_view character) { cost += character_cost(character); });
  return unusual_cost + cost;
}

std::vector<std::string_view> simpler_characters(std::string_view character) {
  std::vector<std::string_view> simpler;
  for (const std::string_view other : simplest)
    if (character_cost(other) < character_cost(character)) simpler.push_back(other);
  return simpler;
}

}  // namespace mayfly
