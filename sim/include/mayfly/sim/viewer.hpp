#pragma once

#include <span>
#include <string>
#include <string_view>

// Pages for people, of the files in sim/viewer/: timeline.js draws lanes over time from plain data, on whatever page;
// report.html is the page about violations, live.html that of a running server. Each page is one text with the files
// that it needs in it.

namespace mayfly {

/// The files of sim/viewer/, by name, and what is in them.
std::span<const std::string_view> viewer_names();
std::span<const std::string_view> viewer_texts();

/// Requires that there is a file of that name.
std::string_view viewer_file(std::string_view name);

/// The page with everything in it: for each {{name}} the file of that name, and for {{data}} this JSON text, so written
/// that nothing in it ends the script element around it.
std::string viewer_page(std::string_view name, std::string_view data);

}  // namespace mayfly
