#pragma once

#include <optional>
#include <vector>

#include "bar.hpp"
#include "machine.hpp"
#include "questions.hpp"

namespace mayfly::bench {

/// One contestant with one workload at one size.
struct Figure {
  Workload workload;
  Contestant contestant;
  std::size_t documents = 0;
  std::vector<double> ns{};  ///< one for each repetition, in their order
  std::optional<double> bytes{};

  double median() const;

  /// The distance of the slowest repetition from the fastest, relative to the median; nothing after one repetition.
  std::optional<double> spread() const;
};

struct Results {
  Machine machine;
  Scale scale = Scale::full;
  std::size_t planned = 0;  ///< benchmarks
  bool was_interrupted = false;
  std::vector<Figure> figures{};

  /// In the order in which they ran.
  std::vector<Workload> workloads() const;

  /// All contestants of a workload at one size: the floor, ours, and the peers from the fastest to the slowest.
  std::vector<const Figure*> ranking(std::string_view workload, std::size_t documents) const;
  std::vector<std::size_t> sizes(std::string_view workload) const;

  /// A contestant, or the fastest of a role; null if it did not run.
  const Figure* find(std::string_view workload, std::size_t documents, std::string_view contestant) const;
  const Figure* find(std::string_view workload, std::size_t documents, Role role) const;

  /// The median of the ratios within a repetition, where the two took turns.
  std::optional<double> times_floor(const Figure& figure) const;
  std::optional<double> times_best_peer(const Figure& figure) const;

  /// The promises about the index for which there are figures; none after a quick run (bars.cpp).
  std::vector<Bar> bars() const;

  /// What the run cannot show, because it was quick or interrupted: sentences, one for each reason.
  std::vector<std::string> limits() const;
};

}  // namespace mayfly::bench
