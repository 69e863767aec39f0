#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mayfly {

/// A place in a file of the checkout. An empty name and line 0 are left out.
struct SourcePlace {
  std::string file;
  std::size_t line = 0;
};

/// A line that GitHub shows as an error at the commit, escaped as GitHub requires.
std::string annotation(std::string_view title, std::string_view message, const SourcePlace& place = {});

/// The same if the environment says that GitHub runs the program; otherwise empty.
std::string annotation_if_wanted(std::string_view title, std::string_view message, const SourcePlace& place = {});

}  // namespace mayfly
