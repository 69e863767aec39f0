#include "mayfly/props/report/junit.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace mayfly {

namespace {

/// How many bytes the character takes that begins here: 0 if it is none that XML 1.0 can hold.
std::size_t length_of_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fU);
  }
  const bool is_character =
      code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) && code != 0xfffe && code != 0xffff;
  return is_character ? length : 0;
}

// In an attribute a reader would turn line breaks into blanks, and anywhere a carriage return into a newline, unless
// they are spelt out.
std::string escaped_character(std::string_view character, bool in_attribute) {
  switch (character.front()) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\r':
      return "&#13;";
    case '\n':
      return in_attribute ? "&#10;" : "\n";
    case '\t':
      return in_attribute ? "&#9;" : "\t";
    default:
      return std::string(character);
  }
}

std::string escaped(std::string_view text, bool in_attribute) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = length_of_character(text);
    result += length > 0 ? escaped_character(text.substr(0, length), in_attribute)
                         : fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string attribute(std::string_view text) { return escaped(text, true); }

std::string time_attribute(std::optional<double> seconds) {
  return seconds ? fmt::format(" time=\"{:.3f}\"", *seconds) : "";
}

std::optional<double> seconds_of(std::span<const JunitCase> cases) {
  std::optional<double> sum;
  for (const auto& test : cases)
    if (test.seconds) sum = sum.value_or(0) + *test.seconds;
  return sum;
}

std::string case_text(std::string_view suite, const JunitCase& test) {
  const std::string head = fmt::format("  <testcase classname=\"{}.{}\" name=\"{}\"{}", attribute(suite),
                                       attribute(test.group), attribute(test.name), time_attribute(test.seconds));
  switch (test.end) {
    case JunitCase::End::passed:
      return head + "/>\n";
    case JunitCase::End::skipped:
      return fmt::format("{}>\n    <skipped message=\"{}\"/>\n  </testcase>\n", head, attribute(test.message));
    case JunitCase::End::inconclusive:
      return fmt::format("{}>\n    <error message=\"{}\"/>\n  </testcase>\n", head, attribute(test.message));
    case JunitCase::End::failed:
      break;
  }
  return fmt::format("{}>\n    <failure message=\"{}\">{}</failure>\n  </testcase>\n", head, attribute(test.message),
                     escaped(test.text, false));
}

}  // namespace

std::string junit_text(std::string_view suite, std::span<const JunitCase> cases) {
  const auto count = [&](JunitCase::End end) {
    return std::count_if(cases.begin(), cases.end(), [&](const JunitCase& test) { return test.end == end; });
  };
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
      "skipped=\"{}\"{}>\n",
      attribute(suite), cases.size(), count(JunitCase::End::failed), count(JunitCase::End::inconclusive),
      count(JunitCase::End::skipped), time_attribute(seconds_of(cases)));
  for (const auto& test : cases) text += case_text(suite, test);
  return text + "</testsuite>\n";
}

}  // namespace mayfly
