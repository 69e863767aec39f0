#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mayfly/model/time.hpp"

namespace mayfly::rest {

/// Tue, 14 Nov 2023 22:13:20 GMT
std::string http_date(Instant instant);

/// Nothing if the text is not a date of this form, in any case of letters.
std::optional<Instant> parse_http_date(std::string_view text);

}  // namespace mayfly::rest
