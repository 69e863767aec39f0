#pragma once

#include <optional>
#include <vector>

#include "workload.hpp"

namespace mayfly::bench {

/// What one contestant needed for one piece of work at one size.
struct Figure {
  Workload workload;
  Contestant contestant;
  std::size_t documents = 0;
  std::vector<double> ns{};  ///< one for each repetition, sorted
  double bytes = not_measured;

  double median() const { return ns[ns.size() / 2]; }
  bool has_bytes() const { return bytes == bytes; }
};

struct Results {
  std::vector<Figure> figures;

  /// The workloads, in the order in which they were first run.
  std::vector<Workload> workloads() const;

  /// All contestants of a workload at one size: the floor, ours, and the peers from the fastest to the slowest.
  std::vector<const Figure*> ranking(std::string_view workload, std::size_t documents) const;
  std::vector<std::size_t> sizes(std::string_view workload) const;

  /// The contestant by its name, if it ran.
  const Figure* find(std::string_view workload, std::string_view contestant, std::size_t documents) const;
  const Figure* ours(std::string_view workload, std::size_t documents) const;
  const Figure* best_peer(std::string_view workload, std::size_t documents) const;

  std::optional<double> times_floor(const Figure& figure) const;
  std::optional<double> times_best_peer(const Figure& figure) const;

 private:
  const Figure* first_of(Role role, std::string_view workload, std::size_t documents) const;
};

}  // namespace mayfly::bench
