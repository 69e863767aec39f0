#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mayfly::rest {

/// The text with everything but ASCII letters, digits, - and _ as %2f and the like, so that it is one part of a path.
std::string percent_encoded(std::string_view text);

/// The text with %20 and the like resolved; nothing if a percent sign is followed by anything but two hexadecimal
/// digits.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace mayfly::rest
