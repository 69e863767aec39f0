#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "mayfly/props/report/text.hpp"
#include "results.hpp"

namespace mayfly::bench {

namespace {

constexpr std::size_t smallest = 10'000;
constexpr std::size_t judged_sizes[] = {1'000'000, 10'000'000};

std::string at(std::string_view what, std::size_t documents) {
  return fmt::format("{} at {}", what, with_commas(documents));
}

using Measure = std::function<std::optional<double>(const Figure&)>;

class Judge {
 public:
  explicit Judge(const Results& results) : results_(results) {}

  void times_floor(std::string_view workload, std::size_t documents, double limit) {
    judge(workload, documents, limit, "x floor", [&](const Figure& ours) { return results_.times_floor(ours); });
  }

  void nanoseconds(std::string_view workload, std::size_t documents, double limit) {
    judge(workload, documents, limit, "ns", [](const Figure& ours) { return ours.median(); });
  }

  void bytes(std::string_view workload, std::size_t documents, double limit) {
    judge(workload, documents, limit, "bytes a document", [](const Figure& ours) { return ours.bytes; });
  }

  void times_peer(std::string_view workload, std::string_view peer, std::size_t documents, double limit) {
    const Figure* other = results_.find(workload, documents, peer);
    if (!other) return;
    judge(workload, documents, limit, fmt::format("x {}", peer),
          [&](const Figure& ours) { return ours.median() / other->median(); });
  }

  /// The workload in which ours does worst against the best peer.
  void times_best_peer(std::size_t documents) {
    worst(documents, 1, "x best peer", [&](const Figure& ours) { return results_.times_best_peer(ours); });
  }

  /// The workload in which the ratio to the floor grows most.
  void growth(std::size_t documents) {
    const auto grown = [&](const Figure& large) -> std::optional<double> {
      const Figure* small = results_.find(large.workload.name, smallest, Role::ours);
      const auto before = small ? results_.times_floor(*small) : std::nullopt;
      const auto after = results_.times_floor(large);
      return before && after ? std::optional(*after / *before) : std::nullopt;
    };
    worst(documents, 1.5, fmt::format("x its ratio at {}", with_commas(smallest)), grown);
  }

  std::vector<Bar> bars() && { return std::move(bars_); }

 private:
  void judge(std::string_view workload, std::size_t documents, double limit, std::string unit, const Measure& measure) {
    const Figure* ours = results_.find(workload, documents, Role::ours);
    const std::optional<double> measured = ours ? measure(*ours) : std::nullopt;
    if (measured) bars_.push_back({at(workload, documents), limit, *measured, std::move(unit)});
  }

  void worst(std::size_t documents, double limit, const std::string& unit, const Measure& measure) {
    std::optional<Bar> found;
    for (const auto& [name, text, of] : results_.workloads()) {
      if (name.starts_with("engine/")) continue;        // it measures much else besides the index
      if (name.starts_with("longest-step/")) continue;  // a latency, which has a bar of its own
      const Figure* ours = results_.find(name, documents, Role::ours);
      const std::optional<double> measured = ours ? measure(*ours) : std::nullopt;
      if (measured && (!found || *measured > found->measured))
        found = Bar{at(fmt::format("worst: {}", name), documents), limit, *measured, unit};
    }
    if (found) bars_.push_back(*found);
  }

  const Results& results_;
  std::vector<Bar> bars_;
};

}  // namespace

std::vector<Bar> Results::bars() const {
  const auto is_large = [](const Figure& figure) { return figure.documents >= judged_sizes[0]; };
  if (std::none_of(figures.begin(), figures.end(), is_large)) return {};
  Judge judge(*this);
  for (const std::size_t size : judged_sizes) judge.times_floor("refresh/inherit", size, 1.2);
  judge.times_floor("refresh/uniform", judged_sizes[0], 1.5);
  judge.times_floor("refresh/uniform", judged_sizes[1], 2.0);
  for (const std::size_t size : judged_sizes) judge.times_floor("refresh/log-uniform", size, 3.5);
  for (const std::size_t size : judged_sizes) judge.times_floor("drain", size, 1.5);
  for (const std::size_t size : judged_sizes) judge.times_floor("fill", size, 1.6);
  for (const std::size_t size : judged_sizes) judge.times_peer("refresh/uniform", "linked wheel", size, 0.5);
  for (const std::size_t size : judged_sizes) judge.times_best_peer(size);
  for (const std::size_t size : judged_sizes) judge.bytes("refresh/inherit", size, 17);
  for (const std::size_t size : judged_sizes) judge.bytes("refresh/uniform", size, 25);
  for (const std::size_t size : {smallest, judged_sizes[1]}) judge.nanoseconds("default", size, 1'000);
  judge.nanoseconds("longest-step/day", judged_sizes[1], 1e6);
  judge.nanoseconds("longest-step/mass", judged_sizes[1], 1e6);
  judge.growth(judged_sizes[1]);
  return std::move(judge).bars();
}

}  // namespace mayfly::bench
