#include "bars.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mayfly/props/report/text.hpp"

namespace mayfly::bench {

namespace {

constexpr std::size_t smallest = 10'000;
constexpr std::size_t judged_sizes[] = {1'000'000, 10'000'000};

std::string at(std::string_view what, std::size_t documents) {
  return fmt::format("{} at {}", what, with_commas(documents));
}

class Judge {
 public:
  explicit Judge(const Results& results) : results_(results) {}

  void times_floor(std::string_view workload, std::size_t documents, double limit) {
    if (const Figure* figure = results_.ours(workload, documents))
      if (const auto times = results_.times_floor(*figure)) add(at(workload, documents), limit, *times, "x floor");
  }

  void time(std::string_view workload, std::size_t documents, double limit_ns) {
    if (const Figure* figure = results_.ours(workload, documents))
      add(at(workload, documents), limit_ns, figure->median(), "ns");
  }

  void bytes(std::string_view workload, std::size_t documents, double limit) {
    if (const Figure* figure = results_.ours(workload, documents))
      add(at(workload, documents), limit, figure->bytes, "bytes a document");
  }

  void against(std::string_view workload, std::string_view peer, std::size_t documents, double limit) {
    const Figure* figure = results_.ours(workload, documents);
    const Figure* other = results_.find(workload, peer, documents);
    if (figure && other)
      add(at(workload, documents), limit, figure->median() / other->median(), fmt::format("x {}", peer));
  }

  /// Of all workloads the one in which ours does worst against the best peer.
  void best_peers(std::size_t documents) {
    worst(
        "x best peer", 1,
        [&](std::string_view workload) -> std::optional<double> {
          const Figure* figure = results_.ours(workload, documents);
          return figure ? results_.times_best_peer(*figure) : std::nullopt;
        },
        documents);
  }

  /// Of all workloads the one in which the ratio to the floor grows most.
  void growth(std::size_t documents) {
    worst(
        fmt::format("x its ratio at {}", with_commas(smallest)), 1.5,
        [&](std::string_view workload) -> std::optional<double> {
          const Figure* small = results_.ours(workload, smallest);
          const Figure* large = results_.ours(workload, documents);
          if (!small || !large || !results_.times_floor(*small)) return std::nullopt;
          return *results_.times_floor(*large) / *results_.times_floor(*small);
        },
        documents);
  }

  std::vector<Bar> verdict() && { return std::move(bars_); }

 private:
  void add(std::string what, double limit, double measured, std::string unit) {
    bars_.push_back({std::move(what), limit, measured, std::move(unit)});
  }

  template <class Ratio>
  void worst(const std::string& unit, double limit, Ratio ratio, std::size_t documents) {
    std::optional<Bar> found;
    for (const auto& workload : results_.workloads()) {
      if (workload.name.starts_with("engine/")) continue;        // the index is in it, but so is much else
      if (workload.name.starts_with("longest-step/")) continue;  // no throughput: it has a bar of its own
      const auto times = ratio(workload.name);
      if (times && (!found || *times > found->measured))
        found = Bar{at(fmt::format("worst: {}", workload.name), documents), limit, *times, unit};
    }
    if (found) bars_.push_back(*found);
  }

  const Results& results_;
  std::vector<Bar> bars_;
};

}  // namespace

std::vector<Bar> bars(const Results& results) {
  const auto is_large = [](const Figure& figure) { return figure.documents >= judged_sizes[0]; };
  if (std::none_of(results.figures.begin(), results.figures.end(), is_large)) return {};
  Judge judge(results);
  for (const std::size_t size : judged_sizes) judge.times_floor("refresh/inherit", size, 1.2);
  judge.times_floor("refresh/uniform", judged_sizes[0], 1.5);
  judge.times_floor("refresh/uniform", judged_sizes[1], 2.0);
  for (const std::size_t size : judged_sizes) judge.times_floor("refresh/log-uniform", size, 3.5);
  for (const std::size_t size : judged_sizes) judge.times_floor("drain", size, 1.5);
  for (const std::size_t size : judged_sizes) judge.times_floor("fill", size, 1.6);
  for (const std::size_t size : judged_sizes) judge.against("refresh/uniform", "linked wheel", size, 0.5);
  for (const std::size_t size : judged_sizes) judge.best_peers(size);
  for (const std::size_t size : judged_sizes) judge.bytes("refresh/inherit", size, 17);
  for (const std::size_t size : judged_sizes) judge.bytes("refresh/uniform", size, 25);
  for (const std::size_t size : {smallest, judged_sizes[1]}) judge.time("default", size, 1'000);
  judge.time("longest-step/day", judged_sizes[1], 1e6);
  judge.time("longest-step/mass", judged_sizes[1], 1e6);
  judge.growth(judged_sizes[1]);
  return std::move(judge).verdict();
}

}  // namespace mayfly::bench
