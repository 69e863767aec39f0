#include <fmt/format.h>

#include "charts.hpp"
#include "mayfly/props/report/text.hpp"
#include "report.hpp"

namespace mayfly::bench {

namespace {

constexpr std::string_view style = R"(
:root { color-scheme: light dark; --paper: #fcfcfa; --ink: #1c1c1a; --rule: #c9c8c2; --good: #1a6b33; --bad: #a8281e }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif;
       background: var(--paper); color: var(--ink) }
h1, h2 { line-height: 1.2 } h2 { margin-top: 3rem }
svg { width: 100%; height: auto; display: block }
svg [stroke='black'] { stroke: currentColor } svg [fill='black'] { fill: currentColor }
svg [color='black'] { color: inherit }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap }
th:first-child, td:first-child { text-align: left } .ours { font-weight: bold }
.met { color: var(--good) } .missed { color: var(--bad); font-weight: bold }
caption { text-align: left; padding: .5rem 0; font-size: .9rem } small { opacity: .75 }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem } dt { opacity: .75 } dd { margin: 0 }
@media (prefers-color-scheme: dark) { :root { --paper: #161614; --ink: #e8e7e2; --rule: #45443f; --good: #7bd494;
  --bad: #ff9a8f } }
)";

// Distinguishable with colour blindness too; marks and order differ as well.
constexpr std::string_view light[] = {"#6b6b6b", "#d0021b", "#0b5fa5", "#b06a00", "#00796b",
                                      "#7b3fa0", "#5d6b00", "#a0326e", "#3f51b5", "#795548"};
constexpr std::string_view dark[] = {"#a8a8a8", "#ff6b6b", "#6cb4f5", "#f0a840", "#4dc8b8",
                                     "#c79af0", "#b8c850", "#f08abf", "#9fa8ff", "#c8a898"};

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) safe += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return safe;
}

std::string colour_rules(std::size_t count, const std::string_view* palette, std::size_t palette_size) {
  std::string rules;
  for (std::size_t i = 0; i < count; ++i)
    rules += fmt::format("svg [stroke='{0}'] {{ stroke: {1} }} svg [color='{0}'] {{ color: {1} }}\n", written_colour(i),
                         palette[i % palette_size]);
  return rules;
}

std::string whole_style(const Results& results) {
  const std::size_t count = contestants(results).size();
  return fmt::format("{}svg [stroke='{}'] {{ stroke: var(--rule) }}\n{}@media (prefers-color-scheme: dark) {{\n{}}}\n",
                     style, written_colour(grid_colour), colour_rules(count, light, std::size(light)),
                     colour_rules(count, dark, std::size(dark)));
}

std::string cells(const Results& results, const Figure* figure) {
  if (!figure) return "<td></td><td></td>";
  const auto spread = figure->spread();
  const auto times = results.times_floor(*figure);
  return fmt::format("<td>{}{}</td><td>{}</td>", number(figure->median()),
                     spread ? fmt::format(" <small>{:.0f}%</small>", 100 * *spread) : "", times ? number(*times) : "");
}

std::string figures_table(const Results& results, const Workload& workload) {
  const auto sizes = results.sizes(workload.name);
  std::string head = "<th scope='col'>documents</th>", body;
  for (const std::size_t size : sizes)
    head += fmt::format("<th scope='col'>{}</th><th scope='col'>× floor</th>", with_commas(size));
  for (const Figure* row : results.ranking(workload.name, sizes.back())) {
    const auto& [name, role] = row->contestant;
    body += fmt::format("<tr{}><th scope='row'>{}</th>", role == Role::ours ? " class='ours'" : "", escaped(name));
    for (const std::size_t size : sizes) body += cells(results, results.find(workload.name, size, name));
    body += fmt::format("<td>{}</td></tr>\n", row->bytes ? number(*row->bytes) : "");
  }
  return fmt::format(
      "<div class='wide' tabindex='0'><table><caption>Nanoseconds for {}, with the spread in percent; bytes of each "
      "document.</caption>\n<tr>{}<th scope='col'>bytes</th></tr>\n{}</table></div>\n",
      escaped(workload.unit), head, body);
}

std::string bars_table(const std::vector<Bar>& bars) {
  std::string body;
  for (const auto& bar : bars)
    body += fmt::format("<tr><th scope='row'>{}</th><td>{}</td><td>{}</td><td>{}</td><td class='{}'>{}</td></tr>\n",
                        escaped(bar.what), escaped(bar.unit), number(bar.limit), number(bar.measured),
                        bar.is_met() ? "met" : "missed", bar.is_met() ? "met" : "missed");
  if (body.empty()) return "";
  return "<h2>Bars</h2>\n<div class='wide' tabindex='0'><table><tr><th scope='col'>what</th><th scope='col'>unit</th>"
         "<th scope='col'>at most</th><th scope='col'>measured</th><th scope='col'></th></tr>\n" +
         body + "</table></div>\n";
}

/// The bars in a sentence, what the run cannot show, and the conditions.
std::string opening(const Results& results, const std::vector<Bar>& bars) {
  std::string missed;
  for (const auto& bar : bars)
    if (!bar.is_met())
      missed +=
          fmt::format("{}{} ({}, {})", missed.empty() ? ": " : "; ", bar.what, number(bar.measured), bar.limit_text());
  std::string text = fmt::format("<p><strong class='{}'>{}</strong>{}.</p>\n", missed.empty() ? "" : "missed",
                                 summary(bars), escaped(missed));
  for (const auto& limit : results.limits()) text += fmt::format("<p>{}</p>\n", escaped(limit));
  text += "<dl>\n";
  for (const auto& [name, value] : rows(results.machine))
    text += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escaped(value));
  return text +
         "</dl>\n<p>Times are medians of the repetitions, in processor time of one thread; the spread is the distance "
         "from the fastest repetition to the slowest, relative to the median. The contestants take turns within a "
         "repetition. The floor is what any correct store pays: it reads the document, decides whether it is live, and "
         "writes it, in random order; touch is the write alone. Bulk loads are timed on memory that is mapped "
         "already.</p>\n";
}

}  // namespace

std::string to_page(const Results& results) {
  const auto drawings = charts(results);
  const auto workloads = results.workloads();
  const auto bars = results.bars();
  std::string sections;
  for (std::size_t i = 0; i < workloads.size(); ++i)
    sections += fmt::format("<section>\n<h2>{}</h2>\n<p>{}</p>\n{}{}</section>\n", escaped(workloads[i].name),
                            escaped(workloads[i].stands_for), drawings[i], figures_table(results, workloads[i]));
  return fmt::format(
      "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
      "<meta name='viewport' content='width=device-width, initial-scale=1'>\n<title>Mayfly benchmarks</title>\n"
      "<style>{}</style>\n</head>\n<body>\n<main>\n<h1>Mayfly benchmarks</h1>\n{}{}{}</main>\n</body>\n</html>\n",
      whole_style(results), opening(results, bars), bars_table(bars), sections);
}

}  // namespace mayfly::bench
