#pragma once

#include <cstddef>
#include <string>

#include "mayfly/props/report/story.hpp"

namespace mayfly {

/// The story as a drawing of letters, no wider than asked: a line for each document with its life by the rules, where
/// the store shows it otherwise, and what was asked. Where it is too long for that, its end.
///
/// Requires a story of at least one step, and a width of at least 60.
std::string ascii_timeline(const Story& story, std::size_t width = 80);

}  // namespace mayfly
