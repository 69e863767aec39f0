#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

// Text as people read it in a terminal.

namespace mayfly {

/// "2,000".
std::string with_commas(std::uint64_t number);

/// "1 case", "2,000 cases".
std::string counted(std::uint64_t number, std::string_view noun);

/// How many of them a second: "0.91 M", "4,300".
std::string rate(std::uint64_t count, double seconds);

/// As a shell takes it for one word.
std::string quoted(const std::string& word);

/// Text of any origin in plain ASCII, where it is longer than that without its middle: "aaaa..zzzz".
std::string elided(std::string_view text, std::size_t longest);

/// A name as it is if it is plain, otherwise quoted, in ASCII: d0, "d0 ", "". A long one without its middle, and with
/// its length: "aaaa..aaaa (255 bytes)".
std::string shown_name(std::string_view name);

/// JSON in one line of ASCII, with texts that are longer than that as names are shown, and without the middle of long
/// lists.
std::string shown_value(const boost::json::value& value, std::size_t longest = 100);

/// A line, broken where it has such a gap so that a terminal of so many columns does not break it elsewhere; what
/// follows the first break is indented.
std::string folded(std::string_view line, std::size_t indent, std::string_view gap = " ", std::size_t width = 80);

}  // namespace mayfly
