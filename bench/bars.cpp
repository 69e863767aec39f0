#include <functional>
#include <vector>

#include <fmt/format.h>

#include "mayfly/props/report/text.hpp"
#include "results.hpp"

namespace mayfly::bench {

namespace {

constexpr std::size_t million = 1'000'000;

/// At most so many times the best peer, where all is in the nearest caches, in a farther one, and beyond.
struct PeerBar {
  double at_1_000, at_10_000, beyond;
  std::vector<std::string_view> workloads;
};
const PeerBar peer_bars[] = {
    {1.2, 1.1, 1, {"refresh/inherit", "recreate", "next"}},
    {1.5, 1.2, 1, {"refresh/uniform", "refresh/log-uniform", "refresh/eight", "drain", "jump/day", "jump/year"}},
    {1.5, 1.4, 1, {"fill", "session-day"}},
};

/// At a million documents.
struct FloorBar {
  std::string_view workload;
  double limit;
};
constexpr FloorBar floor_bars[] = {{"refresh/inherit", 1.1},
                                   {"refresh/uniform", 1.6},
                                   {"refresh/log-uniform", 2.2},
                                   {"refresh/eight", 2.2},
                                   {"drain", 1.25},
                                   {"jump/day", 1},
                                   {"jump/year", 1},
                                   {"fill", 1.4}};

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

  void times_best_peer(std::string_view workload, std::size_t documents, double limit) {
    judge(workload, documents, limit, "x best peer",
          [&](const Figure& ours) { return results_.times_best_peer(ours); });
  }

  std::vector<Bar> bars() && { return std::move(bars_); }

 private:
  void judge(std::string_view workload, std::size_t documents, double limit, std::string unit, const Measure& measure) {
    const Figure* ours = results_.find(workload, documents, Role::ours);
    const std::optional<double> measured = ours ? measure(*ours) : std::nullopt;
    if (measured) bars_.push_back({at(workload, documents), limit, *measured, std::move(unit)});
  }

  const Results& results_;
  std::vector<Bar> bars_;
};

}  // namespace

std::vector<Bar> Results::bars() const {
  if (scale == Scale::quick) return {};
  Judge judge(*this);
  for (const auto& bar : peer_bars)
    for (const auto workload : bar.workloads)
      for (const std::size_t size : sizes(workload))
        judge.times_best_peer(workload, size,
                              size == 1'000    ? bar.at_1_000
                              : size == 10'000 ? bar.at_10_000
                                               : bar.beyond);
  for (const auto& bar : floor_bars) judge.times_floor(bar.workload, million, bar.limit);
  judge.bytes("refresh/inherit", million, 13);
  judge.bytes("refresh/uniform", million, 20);
  for (const std::size_t size : sizes("default")) judge.nanoseconds("default", size, 20);
  return std::move(judge).bars();
}

}  // namespace mayfly::bench
