#pragma once

#include <string>
#include <string_view>

namespace mayfly {

/// Output of another program, with control characters made safe for a terminal.
std::string printable(std::string_view text);

/// The beginning of that output, short enough for a message.
std::string preview(std::string_view text);

}  // namespace mayfly
