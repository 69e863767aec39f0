#include "mayfly/props/report/text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "mayfly/sim/utf8.hpp"

namespace mayfly {

namespace {

namespace json = boost::json;

constexpr std::size_t longest_shown_name = 40;
constexpr std::size_t most_items_shown = 6;
constexpr std::size_t items_shown_first = 2;

bool is_plain_in_name(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x80 && (std::isalnum(byte) != 0 || c == '.' || c == '_' || c == '-');
}

std::uint32_t code_point_of(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return lead;
  std::uint32_t code = lead & (0x7FU >> character.size());
  for (const char c : character.substr(1)) code = (code << 6) | (static_cast<unsigned char>(c) & 0x3FU);
  return code;
}

/// The text with JSON's escapes for all characters outside of ASCII.
std::string in_ascii(std::string_view text) {
  std::string ascii;
  for (const std::string_view character : characters_of(text)) {
    const std::uint32_t code = code_point_of(character);
    if (code < 0x7F)
      ascii += character;
    else if (code < 0x10000)
      ascii += fmt::format("\\u{:04X}", code);
    else
      ascii += fmt::format("\\u{:04X}\\u{:04X}", 0xD7C0 + (code >> 10), 0xDC00 + (code & 0x3FF));
  }
  return ascii;
}

/// Both ends of a long text, and its length.
std::string abridged(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  const auto characters = characters_of(text);
  if (characters.size() <= longest) return std::string(text);
  const auto* const first = characters[longest / 2].data();
  const auto* const last = characters[characters.size() - longest / 4].data();
  return fmt::format("{}..{} ({})", text.substr(0, static_cast<std::size_t>(first - text.data())),
                     text.substr(static_cast<std::size_t>(last - text.data())), counted(text.size(), "byte"));
}

json::value abridged(const json::value& value, std::size_t longest);

json::array abridged(const json::array& items, std::size_t longest) {
  json::array some;
  const bool is_long = items.size() > most_items_shown;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (is_long && i == items_shown_first) {
      some.emplace_back(fmt::format("... {} more", with_commas(items.size() - items_shown_first - 1)));
      i = items.size() - 1;
    }
    some.push_back(abridged(items[i], longest));
  }
  return some;
}

json::value abridged(const json::value& value, std::size_t longest) {
  if (const auto* text = value.if_string()) return json::string(abridged(std::string_view(*text), longest));
  if (const auto* items = value.if_array()) return abridged(*items, longest);
  if (!value.is_object()) return value;
  json::object object;
  for (const auto& field : value.get_object()) object.emplace(field.key(), abridged(field.value(), longest));
  return object;
}

}  // namespace

std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string rate(std::uint64_t count, double seconds) {
  const double per_second = static_cast<double>(count) / std::max(seconds, 1e-6);
  if (per_second >= 1e5) return fmt::format("{:.2f} M", per_second / 1e6);
  const double unit = per_second < 100 ? 1 : per_second < 1'000 ? 10 : per_second < 10'000 ? 100 : 1'000;
  return with_commas(static_cast<std::uint64_t>(std::round(per_second / unit) * unit));
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", with_commas(number), noun, number == 1 ? "" : "s");
}

std::string quoted(const std::string& word) {
  if (word.find_first_of(" \t\n'\"\\$&;|<>()*?[]#~`!") == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string elided(std::string_view text, std::size_t longest) {
  std::string plain;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) == 0x80) continue;  // the rest of a character in UTF-8
    plain += byte >= 0x20 && byte < 0x7F ? c : '?';
  }
  if (plain.size() <= longest) return plain;
  const std::size_t half = (longest - 2) / 2;
  return plain.substr(0, half) + ".." + plain.substr(plain.size() - half);
}

std::string shown_name(std::string_view name) {
  const std::string text = abridged(name, longest_shown_name);
  const bool is_plain = std::all_of(name.begin(), name.end(), is_plain_in_name) && !name.empty();
  return is_plain ? text : in_ascii(json::serialize(json::string(text)));
}

std::string shown_value(const json::value& value, std::size_t longest) {
  return in_ascii(json::serialize(abridged(value, longest)));
}

std::string folded(std::string_view line, std::size_t indent, std::string_view gap, std::size_t width) {
  std::string text;
  std::size_t room = width;
  while (line.size() > room) {
    const auto end = line.rfind(gap, room);
    if (end == std::string_view::npos || end == 0) break;
    text += fmt::format("{}\n{:{}}", line.substr(0, end), "", indent);
    line.remove_prefix(end + gap.size());
    room = width - indent;
  }
  return text.append(line);
}

}  // namespace mayfly
