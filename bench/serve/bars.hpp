#pragma once

#include <string>
#include <vector>

namespace mayfly::bench {

/// A promise about the server, and what was measured.
struct ServeBar {
  enum class Kind { at_least, at_most };

  std::string what;
  Kind kind;
  double limit;
  double measured;

  bool is_met() const { return kind == Kind::at_least ? measured >= limit : measured <= limit; }
};

/// For a terminal.
std::string table(const std::vector<ServeBar>& bars);

}  // namespace mayfly::bench
