#pragma once

namespace mayfly::rest {

/// Of an ASCII letter; any other character as it is.
constexpr char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace mayfly::rest
