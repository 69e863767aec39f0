#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mayfly {

/// Where in the checkout something is wrong. Nothing, or line 0, leaves it out.
struct SourcePlace {
  std::string file;
  std::size_t line = 0;
};

/// A line by which GitHub shows an error beside the commit, with what it demands escaped.
std::string annotation(std::string_view title, std::string_view message, const SourcePlace& place = {});

/// The same where GitHub runs us, by the environment; nothing elsewhere.
std::string annotation_if_wanted(std::string_view title, std::string_view message, const SourcePlace& place = {});

}  // namespace mayfly
