#pragma once

#include <string>
#include <string_view>

namespace mayfly {

/// What another program says, fit to be shown in a terminal.
std::string printable(std::string_view text);

/// The beginning of that, fit to be shown in a message.
std::string preview(std::string_view text);

}  // namespace mayfly
