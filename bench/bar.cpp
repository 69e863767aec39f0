#include "bar.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mayfly/props/report/text.hpp"

namespace mayfly::bench {

std::string Bar::limit_text() const {
  return fmt::format("at {} {}{}{}", is_minimum ? "least" : "most", number(limit), unit.empty() ? "" : " ", unit);
}

std::string summary(const std::vector<Bar>& bars) {
  if (bars.empty()) return "No bar was measured";
  const auto missed = std::count_if(bars.begin(), bars.end(), [](const Bar& bar) { return !bar.is_met(); });
  const auto met = bars.size() - static_cast<std::size_t>(missed);
  return fmt::format("{} of {} met, {} missed", met, counted(bars.size(), "bar"), missed);
}

std::string table(const std::vector<Bar>& bars) {
  if (bars.empty()) return "";
  std::string text = "        measured  bar\n";
  for (const auto& bar : bars)
    text += folded(fmt::format("{:<6} {:>9}  {}: {}", bar.is_met() ? "met" : "MISSED", number(bar.measured), bar.what,
                               bar.limit_text()),
                   18) +
            "\n";
  return text + summary(bars) + "\n";
}

std::string number(double value) {
  if (value < 0.095) return fmt::format("{:.2g}", value);
  if (value >= 99.95) return with_commas(static_cast<std::uint64_t>(std::llround(value)));
  return value >= 9.995 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

}  // namespace mayfly::bench
