#pragma once

#include <string>

namespace mayfly::defects {

/// ASCII letters only.
std::string lower_case(std::string text);

}  // namespace mayfly::defects
