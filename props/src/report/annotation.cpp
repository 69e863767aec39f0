#include "mayfly/props/report/annotation.hpp"

#include <cstdlib>

#include <fmt/format.h>

namespace mayfly {

namespace {

// Of a message GitHub reads %, CR and LF as its own, of a property also what ends it.
std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : text)
    if (special.find(c) == std::string_view::npos)
      result += c;
    else
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return result;
}

std::string property(std::string_view text) { return escaped(text, "%\r\n:,"); }

}  // namespace

std::string annotation(std::string_view title, std::string_view message, const SourcePlace& place) {
  std::string fields;
  if (!place.file.empty()) fields += fmt::format("file={},", property(place.file));
  if (place.line > 0) fields += fmt::format("line={},", place.line);
  return fmt::format("::error {}title={}::{}\n", fields, property(title), escaped(message, "%\r\n"));
}

std::string annotation_if_wanted(std::string_view title, std::string_view message, const SourcePlace& place) {
  const char* runs_here = std::getenv("GITHUB_ACTIONS");
  return runs_here && std::string_view(runs_here) == "true" ? annotation(title, message, place) : "";
}

}  // namespace mayfly
