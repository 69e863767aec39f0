#include "mayfly/sim/viewer.hpp"

#include <algorithm>
#include <cassert>

namespace mayfly {

namespace {

// In JSON a < occurs only within strings, where its escape means the same. Without a <, the text contains neither
// </script> nor <!--.
std::string safe_in_script(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

}  // namespace

std::string_view viewer_file(std::string_view name) {
  const auto names = viewer_names();
  const auto found = std::find(names.begin(), names.end(), name);
  assert(found != names.end());
  return viewer_texts()[static_cast<std::size_t>(found - names.begin())];
}

std::string viewer_page(std::string_view name, std::string_view data) {
  constexpr std::string_view open = "{{", close = "}}";
  std::string_view rest = viewer_file(name);
  std::string page;
  for (auto begin = rest.find(open); begin != std::string_view::npos; begin = rest.find(open)) {
    const auto end = rest.find(close, begin);
    const std::string_view part = rest.substr(begin + open.size(), end - begin - open.size());
    page.append(rest.substr(0, begin));
    page.append(part == "data" ? safe_in_script(data) : std::string(viewer_file(part)));
    rest.remove_prefix(end + close.size());
  }
  return page.append(rest);
}

}  // namespace mayfly
