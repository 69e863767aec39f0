#include "bars.hpp"

#include <fmt/format.h>

#include "mayfly/props/report/text.hpp"

namespace mayfly::bench {

namespace {

std::string number(double value) {
  return value < 1000 ? fmt::format("{:.1f}", value) : with_commas(static_cast<std::uint64_t>(value));
}

}  // namespace

std::string table(const std::vector<ServeBar>& bars) {
  std::string text = fmt::format("{:<40} {:<8} {:>7} {:>9}\n", "bar", "", "", "measured");
  for (const auto& bar : bars)
    text += fmt::format("{:<40} {:<8} {:>7} {:>9}  {}\n", bar.what,
                        bar.kind == ServeBar::Kind::at_least ? "at least" : "at most", number(bar.limit),
                        number(bar.measured), bar.is_met() ? "met" : "MISSED");
  return text;
}

}  // namespace mayfly::bench
