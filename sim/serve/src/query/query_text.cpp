#include "query_text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace mayfly::serve {

namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

char32_t code_point(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first;
  char32_t point = first & (0x7FU >> character.size());
  for (const char byte : character.substr(1)) point = point << 6 | (static_cast<unsigned char>(byte) & 0x3FU);
  return point;
}

void append_two_bytes(std::string& out, char32_t point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else {
    out += static_cast<char>(0xC0 | point >> 6);
    out += static_cast<char>(0x80 | (point & 0x3F));
  }
}

/// Capital letters whose small ones are all at one distance. All of them have at most two bytes in UTF-8.
struct Capitals {
  char32_t first, last, step;
  std::int32_t distance;

  bool have(char32_t point) const { return point >= first && point <= last && (point - first) % step == 0; }
};

constexpr std::array<Capitals, 17> all_capitals{{
    {'A', 'Z', 1, 32},
    {0xC0, 0xD6, 1, 32},
    {0xD8, 0xDE, 1, 32},
    {0x100, 0x12E, 2, 1},
    {0x132, 0x136, 2, 1},
    {0x139, 0x147, 2, 1},
    {0x14A, 0x176, 2, 1},
    {0x178, 0x178, 1, -121},
    {0x179, 0x17D, 2, 1},
    {0x386, 0x386, 1, 38},
    {0x388, 0x38A, 1, 37},
    {0x38C, 0x38C, 1, 64},
    {0x38E, 0x38F, 1, 63},
    {0x391, 0x3A1, 1, 32},
    {0x3A3, 0x3AB, 1, 32},
    {0x400, 0x40F, 1, 80},
    {0x410, 0x42F, 1, 32},
}};

char32_t in_case(char32_t point, LetterCase wanted) {
  for (const Capitals& capitals : all_capitals) {
    const auto distance = static_cast<char32_t>(capitals.distance);
    if (wanted == LetterCase::lower && capitals.have(point)) return point + distance;
    if (wanted == LetterCase::upper && capitals.have(point - distance)) return point - distance;
  }
  return point;
}

/// One part of a pattern.
struct PatternPart {
  enum class Kind { one, any_text, any_character, set };
  Kind kind = Kind::one;
  std::string_view text;  ///< the character, or the inside of the brackets
};

bool is_in(std::string_view character, std::string_view set) {
  const bool is_negated = set.starts_with('^');
  if (is_negated) set.remove_prefix(1);
  const char32_t point = code_point(character);
  bool is_found = false;
  while (!set.empty()) {
    const auto from = first_character(set);
    set.remove_prefix(from.size());
    auto to = from;
    if (set.size() > 1 && set[0] == '-') {
      to = first_character(set.substr(1));
      set.remove_prefix(1 + to.size());
    }
    is_found = is_found || (code_point(from) <= point && point <= code_point(to));
  }
  return is_found != is_negated;
}

bool is_met(const PatternPart& part, std::string_view character) {
  if (part.kind == PatternPart::Kind::set) return is_in(character, part.text);
  return part.kind == PatternPart::Kind::any_character || part.text == character;
}

PatternPart take_part(std::string_view& pattern, std::string_view escape) {
  const auto take = [&](std::size_t size) {
    const auto taken = pattern.substr(0, size);
    pattern.remove_prefix(size);
    return taken;
  };
  const auto first = take(first_character(pattern).size());
  if (!escape.empty() && first == escape && !pattern.empty()) return {.text = take(first_character(pattern).size())};
  if (first == "%") return {.kind = PatternPart::Kind::any_text, .text = {}};
  if (first == "_") return {.kind = PatternPart::Kind::any_character, .text = {}};
  const auto end = first == "[" ? pattern.find(']', pattern.starts_with('^') ? 2 : 1) : std::string_view::npos;
  if (end == std::string_view::npos) return {.text = first};
  const PatternPart set{.kind = PatternPart::Kind::set, .text = take(end)};
  take(1);
  return set;
}

}  // namespace

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

std::size_t byte_of_character(std::string_view text, double number) {
  std::size_t at = 0;
  for (double passed = 0; at < text.size() && passed + 1 <= number; ++passed)
    at += first_character(text.substr(at)).size();
  return at;
}

std::string_view first_character(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && continues(text[size])) ++size;
  return text.substr(0, size);
}

std::string_view last_character(std::string_view text) {
  std::size_t from = text.size() - 1;
  while (from > 0 && continues(text[from])) --from;
  return text.substr(from);
}

std::string in_case(std::string_view text, LetterCase wanted) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto character = first_character(text);
    if (character.size() > 2)
      result += character;
    else
      append_two_bytes(result, in_case(code_point(character), wanted));
    text.remove_prefix(character.size());
  }
  return result;
}

// Where a part does not fit, only the last `%` may take one character more: what an earlier one takes is as short as
// possible, and a longer one would leave less text for the same rest of the pattern.
bool is_like(std::string_view text, std::string_view pattern, std::string_view escape, WorkMeter& work) {
  work.take(pattern.size());
  std::vector<PatternPart> parts;
  while (!pattern.empty()) parts.push_back(take_part(pattern, escape));
  std::size_t at = 0;
  std::optional<std::size_t> after_any;
  std::string_view rest_of_any;
  while (!text.empty() || at < parts.size()) {
    work.take(1 + (at < parts.size() ? parts[at].text.size() : 0));
    if (at < parts.size() && parts[at].kind == PatternPart::Kind::any_text) {
      after_any = ++at;
      rest_of_any = text;
    } else if (at < parts.size() && !text.empty() && is_met(parts[at], first_character(text))) {
      text.remove_prefix(first_character(text).size());
      ++at;
    } else if (after_any && !rest_of_any.empty()) {
      rest_of_any.remove_prefix(first_character(rest_of_any).size());
      text = rest_of_any;
      at = *after_any;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace mayfly::serve
