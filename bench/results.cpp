#include "results.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace mayfly::bench {

namespace {

const Figure* first(const std::vector<const Figure*>& figures, auto is_it) {
  const auto found = std::find_if(figures.begin(), figures.end(), is_it);
  return found == figures.end() ? nullptr : *found;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::optional<double> times(const Figure& figure, const Figure* other) {
  if (!other) return std::nullopt;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(figure.ns.size(), other->ns.size()); ++i)
    ratios.push_back(figure.ns[i] / other->ns[i]);
  return median_of(ratios);
}

}  // namespace

double Figure::median() const { return median_of(ns); }

std::optional<double> Figure::spread() const {
  if (ns.size() < 2) return std::nullopt;
  const auto [fastest, slowest] = std::minmax_element(ns.begin(), ns.end());
  return (*slowest - *fastest) / median();
}

std::vector<Workload> Results::workloads() const {
  std::vector<Workload> found;
  for (const auto& figure : figures)
    if (found.empty() || found.back().name != figure.workload.name) found.push_back(figure.workload);
  return found;
}

std::vector<const Figure*> Results::ranking(std::string_view workload, std::size_t documents) const {
  std::vector<const Figure*> found;
  for (const auto& figure : figures)
    if (figure.workload.name == workload && figure.documents == documents) found.push_back(&figure);
  std::sort(found.begin(), found.end(), [](const Figure* a, const Figure* b) {
    return std::pair(a->contestant.role, a->median()) < std::pair(b->contestant.role, b->median());
  });
  return found;
}

std::vector<std::size_t> Results::sizes(std::string_view workload) const {
  std::set<std::size_t> found;
  for (const auto& figure : figures)
    if (figure.workload.name == workload) found.insert(figure.documents);
  return {found.begin(), found.end()};
}

const Figure* Results::find(std::string_view workload, std::size_t documents, std::string_view contestant) const {
  return first(ranking(workload, documents), [&](const Figure* f) { return f->contestant.name == contestant; });
}

const Figure* Results::find(std::string_view workload, std::size_t documents, Role role) const {
  return first(ranking(workload, documents), [&](const Figure* f) { return f->contestant.role == role; });
}

std::optional<double> Results::times_floor(const Figure& figure) const {
  return times(figure, find(figure.workload.name, figure.documents, Role::floor));
}

std::optional<double> Results::times_best_peer(const Figure& figure) const {
  if (is_baseline(figure.contestant.role)) return std::nullopt;
  return times(figure, find(figure.workload.name, figure.documents, Role::peer));
}

std::vector<std::string> Results::limits() const {
  std::vector<std::string> texts;
  if (was_interrupted)
    texts.push_back(fmt::format("Interrupted: {} of {} benchmarks finished.", figures.size(), planned));
  if (scale == Scale::quick)
    texts.push_back(
        "--quick measures briefly, once and with at most 10,000 documents. It cannot show the spread, the cost of "
        "documents that do not fit into the processor's caches, or whether a bar is met.");
  return texts;
}

}  // namespace mayfly::bench
