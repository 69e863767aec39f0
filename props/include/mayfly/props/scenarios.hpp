#pragma once

#include <span>
#include <string_view>

namespace mayfly {

/// The files in props/scenarios/, as they were when the program was built.
std::span<const std::string_view> scenario_names();

}  // namespace mayfly
