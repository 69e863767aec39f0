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

/// The number per second: "0.91 M", "4,300".
std::string rate(std::uint64_t count, double seconds);

/// Quoted for a shell, if needed.
std::string quoted(const std::string& word);

/// Any text in plain ASCII. A text longer than `longest` loses its middle: "aaaa..zzzz".
std::string elided(std::string_view text, std::size_t longest);

/// A name as it is if it is plain, otherwise quoted, in ASCII: d0, "d0 ", "". A long one without its middle, and with
/// its length: "aaaa..aaaa (255 bytes)".
std::string shown_name(std::string_view name);

/// JSON in one line of ASCII. Texts longer than `longest` are shown as long names are, long lists without their middle.
std::string shown_value(const boost::json::value& value, std::size_t longest = 100);

/// The line, broken at gaps so that no part is wider than `width`, where possible. Parts after the first are indented.
std::string folded(std::string_view line, std::size_t indent, std::string_view gap = " ", std::size_t width = 80);

}  // namespace mayfly
