#include <cmath>

#include <fmt/format.h>

#include "mayfly/props/report/text.hpp"
#include "report.hpp"

namespace mayfly::bench {

namespace {

constexpr std::string_view columns = "{:>10} {:<26} {:>11} {:>6} {:>7} {:>7} {:>5}\n";

std::string number_or_dash(const std::optional<double>& value) { return value ? number(*value) : "-"; }

std::string row(const Results& results, const Figure& figure) {
  const auto size = figure.documents == 0 ? "" : with_commas(figure.documents);
  const auto spread = figure.spread();
  return fmt::format(columns, size, figure.contestant.name, number(figure.median()),
                     spread ? fmt::format("{:.0f}%", 100 * *spread) : "-", number_or_dash(results.times_floor(figure)),
                     number_or_dash(results.times_best_peer(figure)), number_or_dash(figure.bytes));
}

}  // namespace

std::string table(const Results& results, const Workload& workload) {
  std::string text = fmt::format("{} (times are of {})\n", workload.name, workload.unit);
  text += folded(workload.stands_for, 0) + "\n";
  text += fmt::format(columns, "documents", "contestant", "ns", "spread", "x floor", "x best", "bytes");
  for (const std::size_t size : results.sizes(workload.name))
    for (const Figure* figure : results.ranking(workload.name, size)) text += row(results, *figure);
  return text + "\n";
}

std::string legend() {
  return folded(
             "ns: the median of the repetitions, in processor time of one thread. spread: from the fastest to the "
             "slowest repetition, relative to the median. x floor: relative to what any correct store pays, which "
             "reads "
             "the document, decides whether it is live, and writes it; touch is the write alone. x best: relative to "
             "the fastest peer. Both are medians of the ratios within a repetition. bytes: of each document, in the "
             "structure and in its fields in the document.",
             0) +
         "\n\n";
}

}  // namespace mayfly::bench
