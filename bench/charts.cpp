#include "charts.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/input_error.hpp"

namespace mayfly::bench {

namespace {

// Placeholders that the page replaces by its colours: red and green are constant, blue is the contestant's number.
constexpr int red = 160, green = 176;

std::string colour(std::size_t blue) { return fmt::format("#{:02x}{:02x}{:02x}", red, green, blue); }

struct Curves {
  std::string data;
  std::string plotted;
};

Curves curves(const Results& results, std::string_view workload) {
  Curves curves;
  const auto all = contestants(results);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::string points;
    for (const std::size_t size : results.sizes(workload))
      if (const Figure* figure = results.find(workload, size, all[i]))
        points += fmt::format("{} {}\n", size, figure->median());
    if (points.empty()) continue;
    curves.data += fmt::format("$c{} << EOD\n{}EOD\n", i, points);
    curves.plotted += fmt::format("{}$c{} using 1:2 with linespoints lw {} pt {} ps 0.8 lc rgb '{}' title \"{}\"",
                                  curves.plotted.empty() ? "" : ", ", i, i < 2 ? 3 : 1.5, i + 4, colour(i), all[i]);
  }
  return curves;
}

// The terminal comes first, because it decides how the rest is drawn.
std::string plot(const Results& results, const Workload& workload, std::size_t number) {
  const auto sizes = results.sizes(workload.name);
  std::string ticks;
  for (const std::size_t size : sizes)
    ticks += fmt::format("{}'{}' {}", ticks.empty() ? "" : ", ", with_commas(size), size);
  const auto [data, plotted] = curves(results, workload.name);
  return fmt::format(
      "set terminal svg size 760,380 dynamic noenhanced font 'sans-serif,14' name 'chart{}'\n"
      "set logscale xy\nset xrange [{}:{}]\nset xtics ({})\nset format y '%g'\nset border 3\nset tics nomirror\n"
      "set grid ytics lt 1 lw 1 lc rgb '{}'\nset xlabel 'documents'\nset ylabel 'ns for {}'\n"
      "set key outside right center Left reverse\n{}plot {}\n",
      number, static_cast<double>(sizes.front()) / 1.3, static_cast<double>(sizes.back()) * 1.3, ticks,
      colour(grid_colour), workload.unit, data, plotted);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

std::string description(const Results& results, const Workload& workload) {
  std::string text;
  const std::size_t size = results.sizes(workload.name).back();
  for (const Figure* figure : results.ranking(workload.name, size))
    text += fmt::format("{}{} {:.0f} ns", text.empty() ? "" : ", ", figure->contestant.name, figure->median());
  return fmt::format("Time against number of documents, both logarithmic. With {} documents: {}.", size, text);
}

// The page has several drawings: their ids must differ, and each has a description for screen readers.
std::string embedded(std::string svg, const Results& results, const Workload& workload, std::size_t number) {
  const auto begin = svg.find("<title>"), end = svg.find("</desc>") + 7;
  svg.replace(begin, end - begin,
              fmt::format("<title id='chart{0}-title'>{1}</title>\n<desc id='chart{0}-desc'>{2}</desc>", number,
                          workload.name, description(results, workload)));
  svg.insert(svg.find("<svg ") + 5, fmt::format("role='img' aria-labelledby='chart{0}-title chart{0}-desc'", number));
  for (const std::string_view name : {"gpDot", "gpPt", "textbox", "greybox", "gnuplot_canvas"})
    replace_all(svg, name, fmt::format("chart{}-{}", number, name));
  return svg.substr(svg.find("<svg "));
}

}  // namespace

void ensure_gnuplot() {
  if (std::system("command -v gnuplot >/dev/null 2>&1") != 0)
    throw InputError("--html: the charts need gnuplot, which is not installed (package gnuplot-nox)");
}

std::vector<std::string_view> contestants(const Results& results) {
  std::vector<std::string_view> found;
  for (const auto& figure : results.figures)
    if (std::find(found.begin(), found.end(), figure.contestant.name) == found.end())
      found.push_back(figure.contestant.name);
  return found;
}

std::string written_colour(std::size_t contestant) {
  return fmt::format("rgb({:3}, {:3}, {:3})", red, green, contestant);
}

std::vector<std::string> charts(const Results& results) {
  const auto workloads = results.workloads();
  std::vector<std::string> drawings(workloads.size());
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    if (results.sizes(workloads[i].name).size() < 2) continue;
    auto svg = output_of(fmt::format("gnuplot <<'END'\n{}END\n", plot(results, workloads[i], i)));
    if (!svg) throw InputError("gnuplot could not draw the charts");
    drawings[i] = embedded(std::move(*svg), results, workloads[i], i);
  }
  return drawings;
}

}  // namespace mayfly::bench
