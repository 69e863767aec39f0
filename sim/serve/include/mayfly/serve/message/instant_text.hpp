#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mayfly/model/time.hpp"

namespace mayfly::serve {

/// Parses a second: a number of seconds, or a date such as 2030-01-31 or 2030-01-31T12:00:00Z. Nothing if the text is
/// neither, or out of range.
std::optional<Instant> parse_instant(std::string_view text);

/// 2023-11-14T22:13:20Z
std::string date_text(Instant instant);

}  // namespace mayfly::serve
