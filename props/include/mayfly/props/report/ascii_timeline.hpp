#pragma once

#include <cstddef>
#include <string>

#include "mayfly/props/report/story.hpp"

namespace mayfly {

/// The story as a drawing of characters, at most `width` wide: a line for each document with its life by the rules, the
/// requests, and where the store differs. If the story is too long, its end.
///
/// Requires a story of at least one step, and a width of at least 60.
std::string ascii_timeline(const Story& story, std::size_t width = 80);

}  // namespace mayfly
