#pragma once

#include <string_view>

namespace mayfly::rest {

/// Whether a host is this machine: `localhost`, or a loopback address without brackets. No name server is asked.
bool is_loopback(std::string_view host);

}  // namespace mayfly::rest
