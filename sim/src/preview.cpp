#include "mayfly/sim/preview.hpp"

#include <algorithm>

namespace mayfly {

std::string printable(std::string_view text) {
  std::string shown(text);
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c != '\n' && (c < ' ' || c > '~'); }, '?');
  return shown;
}

std::string preview(std::string_view text) {
  constexpr std::size_t most = 60;
  const auto first = text.substr(0, text.find('\n'));
  return printable(first.substr(0, most)) + (first.size() > most ? "..." : "");
}

}  // namespace mayfly
