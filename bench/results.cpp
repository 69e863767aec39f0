#include "results.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace mayfly::bench {

std::vector<Workload> Results::workloads() const {
  std::vector<Workload> found;
  for (const auto& figure : figures) {
    const auto is_it = [&](const Workload& workload) { return workload.name == figure.workload.name; };
    if (std::none_of(found.begin(), found.end(), is_it)) found.push_back(figure.workload);
  }
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

const Figure* Results::find(std::string_view workload, std::string_view contestant, std::size_t documents) const {
  for (const Figure* figure : ranking(workload, documents))
    if (figure->contestant.name == contestant) return figure;
  return nullptr;
}

const Figure* Results::first_of(Role role, std::string_view workload, std::size_t documents) const {
  for (const Figure* figure : ranking(workload, documents))
    if (figure->contestant.role == role) return figure;
  return nullptr;
}

const Figure* Results::ours(std::string_view workload, std::size_t documents) const {
  return first_of(Role::ours, workload, documents);
}

const Figure* Results::best_peer(std::string_view workload, std::size_t documents) const {
  return first_of(Role::peer, workload, documents);
}

std::optional<double> Results::times_floor(const Figure& figure) const {
  const Figure* floor = first_of(Role::floor, figure.workload.name, figure.documents);
  if (!floor) return std::nullopt;
  return figure.median() / floor->median();
}

std::optional<double> Results::times_best_peer(const Figure& figure) const {
  const Figure* best = best_peer(figure.workload.name, figure.documents);
  if (!best || figure.contestant.role == Role::floor) return std::nullopt;
  return figure.median() / best->median();
}

}  // namespace mayfly::bench
