#include "words.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace mayfly {

namespace {

using namespace std::string_view_literals;
using Family = std::span<const std::string_view>;

// Each family has names that meet in a store that treats names in one way. Sources are ASCII: \u names a code point.

constexpr std::string_view short_ones[]{""sv, "a"sv, " "sv, "0"sv, "."sv, ".."sv, "\0"sv, "\u00e9"sv};

constexpr std::string_view cases[]{"abc"sv,    "ABC"sv,         "Abc"sv,     "aBc"sv,    "i"sv,
                                   "I"sv,      "\u0130"sv,      "\u0131"sv,  "\u00e9"sv, "\u00c9"sv,
                                   "\u03c3"sv, "\u03c2"sv,      "\u03a3"sv,  "k"sv,      "K"sv,
                                   "\u212a"sv, "stra\u00dfe"sv, "strasse"sv, "STRASSE"sv};

constexpr std::string_view spaces[]{"a"sv,       "a "sv,      "a  "sv,     " a"sv,      "a\t"sv, "a\n"sv,  "a\r\n"sv,
                                    "a\u00a0"sv, "a\u3000"sv, "a\u200b"sv, "\ufeffa"sv, "a b"sv, "a  b"sv, "ab"sv};

constexpr std::string_view forms[]{
    "\u00e9"sv,        "e\u0301"sv,       "e"sv,      "cafe"sv,   "caf\u00e9"sv, "cafe\u0301"sv, "\u1e69"sv,
    "s\u0323\u0307"sv, "s\u0307\u0323"sv, "\u00c5"sv, "\u212b"sv, "A\u030a"sv,   "A"sv,          "\uff21"sv,
    "\uac00"sv,        "\u1100\u1161"sv,  "\ufb01"sv, "fi"sv,     "\u2460"sv,    "1"sv};

constexpr std::string_view numbers[]{"1"sv,
                                     "01"sv,
                                     "001"sv,
                                     "1.0"sv,
                                     "1e0"sv,
                                     "+1"sv,
                                     " 1"sv,
                                     "0"sv,
                                     "-0"sv,
                                     "00"sv,
                                     "0x1"sv,
                                     "10"sv,
                                     "010"sv,
                                     "8"sv,
                                     "\u0661"sv,
                                     "\uff11"sv,
                                     "9007199254740992"sv,
                                     "9007199254740993"sv,
                                     "4294967297"sv,
                                     "1"sv,
                                     "18446744073709551617"sv};

constexpr std::string_view escapes[]{"%41"sv, "A"sv,    "\\u0041"sv, "&#65;"sv, "/"sv,           "%2F"sv,   "%252F"sv,
                                     " "sv,   "+"sv,    "%20"sv,     "\\"sv,    "\\\\"sv,        "\\n"sv,   "\n"sv,
                                     "\""sv,  "\\\""sv, "'"sv,       "''"sv,    "&"sv,           "&amp;"sv, "ab"sv,
                                     "a%"sv,  "a_"sv,   "a*"sv,      "a?"sv,    "a' OR '1'='1"sv};

constexpr std::string_view ends[]{"a"sv,   "a\0"sv,  "a\0b"sv, "a\0c"sv, "\0"sv,    ""sv,
                                  "\0a"sv, "a\nb"sv, "a\nc"sv, "a\rb"sv, "a\x1a"sv, "a\x7f"sv};

constexpr std::string_view words[]{
    "null"sv,      "undefined"sv,   "true"sv,     "false"sv,          "NaN"sv,    "None"sv, ""sv,    "0"sv,
    "__proto__"sv, "constructor"sv, "toString"sv, "hasOwnProperty"sv, "length"sv, "id"sv,   "_ts"sv, "ttl"sv};

// The order of UTF-16 is not that of code points, and what is beyond the first plane is two units there.
constexpr std::string_view planes[]{
    "\uffff"sv,     "\U00010000"sv, "\U0001f600"sv, "\U0001f601"sv, "\ue000"sv,
    "\ufffd"sv,     "\ud7ff"sv,     "?"sv,          "??"sv,         "\U0001f469\u200d\U0001f4bb"sv,
    "\U0001f469"sv, "\U0010ffff"sv, "\u00ff"sv,     "\u0100"sv,     "\U0001f600a"sv};

constexpr std::string_view directions[]{"\u05d0\u05d1"sv, "\u05d1\u05d0"sv, "\u200fab"sv,      "ab"sv,
                                        "\u202eab"sv,     "ba"sv,           "\u0627\u0628"sv,  "\u0627\u200d\u0628"sv,
                                        "a\u200eb"sv,     "a\u05d0b"sv,     "a\u2066b\u2069"sv};

constexpr std::string_view prefixes[]{"a"sv,  "ab"sv, "abc"sv, "abcd"sv, "abcde"sv, ""sv,  "b"sv,
                                      "bc"sv, "c"sv,  "aa"sv,  "aaa"sv,  "aab"sv,   "ac"sv};

constexpr Family families[]{short_ones, cases, spaces, forms,      numbers, escapes,
                            ends,       words, planes, directions, prefixes};

// Those that stores use most come first and often.
constexpr std::string_view separators[]{"/"sv, "/"sv, "/"sv,  "/"sv,  "/"sv,  ""sv,  ""sv,   ""sv,  ":"sv,
                                        ":"sv, ":"sv, "|"sv,  "\\"sv, "\0"sv, "-"sv, "."sv,  "#"sv, ","sv,
                                        "_"sv, " "sv, "\n"sv, "::"sv, "?"sv,  "'"sv, "\""sv, ";"sv, "\x1f"sv};

// At these lengths stores cut names, or store them in another way. In code points, some of which are several bytes.
constexpr std::size_t lengths[]{15,  16,  23,  31,  32,   63,   64,   100,  127, 128,
                                254, 255, 256, 512, 1000, 1023, 1024, 2048, 4096};

/// Long names that differ only at the end, and what is left of them when they are cut.
std::vector<std::string> long_names(Random& random) {
  const std::size_t length = random.pick<std::size_t>(lengths);
  constexpr std::string_view letters[]{"x"sv, "x"sv, "\u00e9"sv, "\U0001f600"sv};
  const std::string_view letter = random.pick<std::string_view>(letters);
  std::string stem;
  while (stem.size() + letter.size() < length) stem += letter;
  return {stem, stem + "a", stem + "b", stem + "aa", stem + "ab", stem + "ba"};
}

/// Neighbours in a family, which are most alike.
std::vector<std::string> some_of(const std::vector<std::string>& names, std::size_t most, Random& random) {
  const std::size_t first = random.below(names.size());
  std::vector<std::string> some;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) some.push_back(names[(first + i) % names.size()]);
  return some;
}

/// Two names, of which one is followed by what the other of two names begins with: `a` and `b/c`, `a/b` and `c`.
Names joined_names(Random& random) {
  const std::string by(random.pick<std::string_view>(separators));
  const std::vector<std::string> left{"a", "a" + by + "b", ""}, right{"b" + by + "c", "c", by + "c"};
  const std::vector<std::string> alone{"d"};
  const auto between = random.below(4);  // mostly partition and id
  if (between == 0) return {left, right, alone};
  if (between == 1) return {left, alone, right};
  return {alone, left, right};
}

std::vector<std::string> family(Random& random) {
  const auto which = random.below(std::size(families) + 2);
  if (which < 2) return long_names(random);
  const Family members = families[which - 2];
  return {members.begin(), members.end()};
}

// Values.

constexpr std::string_view texts[]{
    // what a reader of JSON, of a request or of a ttl takes for one
    "{}"sv, "[]"sv, "null"sv, "true"sv, "\"v\""sv, "{\"ttl\":1}"sv, "{\"value\":\"v\",\"ttl\":1}"sv, "[1,2]"sv,
    "{\"a\":"sv, "{\"op\":\"purge\",\"budget\":1000}"sv, "{\"op\":\"reset\",\"now\":0}"sv, "{\"status\":404}"sv,
    "{\"$type\":\"Off\"}"sv, "-1"sv, "1"sv, "0"sv, "01"sv, "1.0"sv, "1.50"sv, "1e3"sv, "+5"sv, "0x10"sv, "NaN"sv,
    "Infinity"sv, "9007199254740993"sv, "18446744073709551616"sv, "ttl=1"sv, "2147483647"sv, "1970-01-01T00:00:00Z"sv,
    "default_ttl"sv, "__proto__"sv, "undefined"sv, "None"sv, "DELETE FROM c"sv, "'; --"sv, "*"sv, "FLUSHALL\r\n"sv,
    "$(true)"sv, "${ttl}"sv, "{{ttl}}"sv, "%s%n%d"sv, "%20"sv, "<b>&amp;</b>"sv, "</script>"sv, "a+b"sv, "a=b&c=d"sv,
    "=1+1"sv, "--"sv, "#"sv,
    // what is trimmed, cut, folded or written in another form
    " "sv, "  "sv, " v"sv, "v "sv, "\tv"sv, "v\n"sv, "\n"sv, "v\r\n"sv, "\r"sv, "a\nb"sv, "\0"sv, "v\0"sv, "v\0w"sv,
    "\0v"sv, "\ufeffv"sv, "v\u00a0"sv, "\x01\x02\x1f\x7f"sv, "\b\f"sv, "\x1b[31m"sv, "\\"sv, "\\n"sv, "\\u0041"sv,
    "\\\\"sv, "\""sv, "\"\""sv, "'"sv, "\\\""sv, "/"sv, "a\\"sv, "\u00e9"sv, "e\u0301"sv, "\u00df"sv, "SS"sv,
    "\u0130"sv, "\u2028"sv, "\u2029"sv, "\u00ff"sv, "\u0100"sv, "\u0800"sv, "\ud7ff"sv, "\ue000"sv, "\ufffd"sv,
    "\uffff"sv, "\U00010000"sv, "\U0001f600"sv, "\U0010ffff"sv, "\U0001f469\u200d\U0001f4bb"sv, "\u05d0\u05d1"sv,
    "\u202ev"sv, "\u0661"sv, "V"sv, "v"sv};

// Stores keep longer texts in another way, or count their bytes in a type that is too small.
constexpr std::size_t line_lengths[]{15,  16,  22,  23,  24,  31,   32,   63,   64,
                                     127, 128, 255, 256, 257, 1000, 1023, 1024, 1025};
constexpr std::size_t block_lengths[]{4'095, 4'096, 8'192, 16'383, 16'384, 32'767, 32'768, 65'535, 65'536, 65'537};
constexpr std::size_t mebibyte = 1'048'576;

/// So many bytes, or a few less where a code point has several, with an end of their own.
std::string long_text(Random& random, std::size_t bytes) {
  constexpr std::string_view letters[]{"x"sv, "x"sv, " "sv, "\u00e9"sv, "\U0001f600"sv, "\""sv};
  const std::string_view letter = random.pick<std::string_view>(letters);
  std::string text;
  text.reserve(bytes);
  while (text.size() + letter.size() < bytes) text += letter;
  text += static_cast<char>('a' + random.below(3));
  return text;
}

}  // namespace

Names twisted_names(Random& random, std::size_t collections, std::size_t partitions, std::size_t ids) {
  if (random.one_in(4)) return joined_names(random);
  const auto all = family(random);
  const auto one_or_more = [&](std::size_t most) { return random.one_in(2) ? 1 : most; };
  Names names;
  names.collections = some_of(all, one_or_more(collections), random);
  names.partitions = some_of(all, one_or_more(partitions), random);
  names.ids = some_of(all, ids, random);
  return names;
}

std::string twisted_value(Random& random, Size size) {
  if (size != Size::line && random.one_in(3))
    return long_text(random,
                     size == Size::block ? random.pick<std::size_t>(block_lengths) : mebibyte - 1 + random.below(3));
  const auto which = random.below(10);
  if (which == 0) return {};
  if (which == 1) return long_text(random, random.pick<std::size_t>(line_lengths));
  return std::string(random.pick<std::string_view>(texts));
}

}  // namespace mayfly
