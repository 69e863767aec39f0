#pragma once

#include <string>
#include <vector>

namespace mayfly::bench {

/// A promise, and what was measured.
struct Bar {
  std::string what;
  double limit;
  double measured;
  std::string unit;
  bool is_minimum = false;  ///< the limit must be reached; otherwise it must not be exceeded

  bool is_met() const { return is_minimum ? measured >= limit : measured <= limit; }

  /// "at most 1.50 x floor"
  std::string limit_text() const;
};

/// "12 of 14 bars met, 2 missed".
std::string summary(const std::vector<Bar>& bars);

/// For a terminal: a row for each bar, and the summary; empty without bars.
std::string table(const std::vector<Bar>& bars);

/// Three digits, and commas in large numbers: 0.0012, 1.57, 12.3, 310,487,262.
std::string number(double value);

}  // namespace mayfly::bench
