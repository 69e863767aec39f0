#include "mayfly/props/report/text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace mayfly {

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
