#include "table.hpp"

#include <cmath>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "mayfly/props/report/text.hpp"

namespace mayfly::bench {

namespace {

constexpr std::size_t columns = 80;

std::string wrapped(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string lines, line, word;
  while (words >> word) {
    if (line.size() + 1 + word.size() > columns) lines += std::exchange(line, "") + "\n";
    line += (line.empty() ? "" : " ") + word;
  }
  return lines + line + "\n";
}

std::string number(const std::optional<double>& value) { return value ? bench::number(*value) : "-"; }

std::string row(const Results& results, const Figure& figure) {
  const auto size = figure.documents == 0 ? "" : with_commas(figure.documents);
  const auto bytes = figure.has_bytes() ? std::optional(figure.bytes) : std::nullopt;
  return fmt::format("{:>10}  {:<26} {:>13} {:>7} {:>8} {:>8}\n", size, figure.contestant.name,
                     bench::number(figure.median()), number(results.times_floor(figure)),
                     number(results.times_best_peer(figure)), number(bytes));
}

}  // namespace

std::string number(double value) {
  if (value < 0.095) return fmt::format("{:.2g}", value);
  if (value >= 99.95) return with_commas(static_cast<std::uint64_t>(std::llround(value)));
  return value >= 9.995 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

std::string role_name(Role role) { return role == Role::floor ? "floor" : role == Role::ours ? "ours" : "peer"; }

std::string table(const Results& results, const Workload& workload) {
  std::string text = fmt::format("{} (times are of {})\n", workload.name, workload.unit);
  text += wrapped(workload.stands_for);
  text += fmt::format("{:>10}  {:<26} {:>13} {:>7} {:>8} {:>8}\n", "documents", "contestant", "ns", "x floor", "x best",
                      "bytes");
  for (const std::size_t size : results.sizes(workload.name))
    for (const Figure* figure : results.ranking(workload.name, size)) text += row(results, *figure);
  return text + "\n";
}

std::string legend() {
  return wrapped(
      "x floor: times one write into the document's own cache line. x best: times the fastest peer. bytes: for each "
      "document, of the structure and of its fields in the document.");
}

std::string table(const std::vector<Bar>& bars) {
  std::string text = fmt::format("{:<40} {:>8} {:>9}  {:<7} {}\n", "bar", "at most", "measured", "", "unit");
  for (const auto& bar : bars)
    text += fmt::format("{:<40} {:>8} {:>9}  {:<7} {}\n", bar.what, bench::number(bar.limit),
                        bench::number(bar.measured), bar.is_met() ? "met" : "MISSED", bar.unit);
  return text;
}

}  // namespace mayfly::bench
