#include "charts.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>

#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/input_error.hpp"

namespace mayfly::bench {

namespace {

// Colours are only names here: red and green are always these, blue is the contestant.
constexpr int red = 160, green = 176;

std::string colour(std::size_t name) { return fmt::format("#{:02x}{:02x}{:02x}", red, green, name); }

std::string data_block(const Results& results, std::string_view workload, std::string_view contestant) {
  std::string lines;
  for (const std::size_t size : results.sizes(workload))
    if (const Figure* figure = results.find(workload, contestant, size))
      lines += fmt::format("{} {}\n", size, figure->median());
  return lines;
}

struct Curves {
  std::string data;
  std::string plotted;
};

Curves curves(const Results& results, std::string_view workload) {
  Curves curves;
  const auto all = contestants(results);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto lines = data_block(results, workload, all[i]);
    if (lines.empty()) continue;
    curves.data += fmt::format("$c{} << EOD\n{}EOD\n", i, lines);
    curves.plotted += fmt::format("{}$c{} using 1:2 with linespoints lw {} pt {} ps 0.8 lc rgb '{}' title \"{}\"",
                                  curves.plotted.empty() ? "" : ", ", i, i < 2 ? 3 : 1.5, i + 4, colour(i), all[i]);
  }
  return curves;
}

// The terminal first: it decides how all that follows is drawn.
std::string plot(const Results& results, const Workload& workload, std::size_t number) {
  const auto sizes = results.sizes(workload.name);
  std::string ticks;
  for (const std::size_t size : sizes)
    ticks += fmt::format("{}'{}' {}", ticks.empty() ? "" : ", ", with_commas(size), size);
  const auto [data, plotted] = curves(results, workload.name);
  return fmt::format(
      "set terminal svg size 760,380 dynamic noenhanced font 'sans-serif,14' name 'chart{}'\n"
      "set logscale xy\nset xrange [{}:{}]\nset xtics ({})\nset format y '%.0f'\nset border 3\nset tics nomirror\n"
      "set grid ytics lt 1 lw 1 lc rgb '{}'\nset xlabel 'documents'\nset ylabel 'ns for {}'\n"
      "set key outside right center Left reverse\n{}plot {}\n",
      number, static_cast<double>(sizes.front()) / 1.3, static_cast<double>(sizes.back()) * 1.3, ticks,
      colour(grid_colour), workload.unit, data, plotted);
}

/// A file that is gone with its owner.
class DraftFile {
 public:
  explicit DraftFile(std::string_view text)
      : path_(std::filesystem::temp_directory_path() / fmt::format("mayfly-bench-{}.gp", ::getpid())) {
    std::ofstream out(path_);
    out << text;
    if (!out.flush()) throw InputError(fmt::format("{}: cannot be written", path_.string()));
  }
  DraftFile(const DraftFile&) = delete;
  DraftFile& operator=(const DraftFile&) = delete;
  ~DraftFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string output_of(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw InputError("gnuplot cannot be started");
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t length = std::fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), length);
  if (::pclose(pipe) != 0) throw InputError("gnuplot could not draw the charts");
  return text;
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

// Several drawings stand in one page: their names must differ, and each says what it shows to those who cannot see it.
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
    throw InputError("--html: the charts are drawn by gnuplot, which is not there (package gnuplot-nox)");
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
    const DraftFile script(plot(results, workloads[i], i));
    drawings[i] = embedded(output_of(fmt::format("gnuplot '{}'", script.path().string())), results, workloads[i], i);
  }
  return drawings;
}

}  // namespace mayfly::bench
