#pragma once

#include <span>
#include <string>
#include <string_view>

// HTML pages, made of the files in sim/viewer/: timeline.js draws lanes over time from plain data, on any page;
// report.html shows violations, live.html a running server. Each page is one text that contains the files it needs.

namespace mayfly {

/// The names and texts of the files of sim/viewer/, in the same order.
std::span<const std::string_view> viewer_names();
std::span<const std::string_view> viewer_texts();

/// The text of a file. Requires that a file of that name exists.
std::string_view viewer_file(std::string_view name);

/// The page as one text: replaces each {{name}} by the file of that name, and {{data}} by this JSON text, escaped so
/// that nothing in it ends the script element around it.
std::string viewer_page(std::string_view name, std::string_view data);

}  // namespace mayfly
