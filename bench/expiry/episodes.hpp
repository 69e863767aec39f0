#pragma once

#include "../workload.hpp"
#include "stage.hpp"

// Workloads that end: each iteration starts with a new store, whose preparation is not timed.

namespace mayfly::bench {

/// A store that starts empty in each iteration. `Play` is what is done with it, and returns the measurement.
template <Structure S, class Play>
class Episode final : public Run {
 public:
  Episode(std::size_t documents, Play play) : stage(documents), order(shuffled(documents, 1)), play_(play) {}

  Sample iterate() override {
    stage.clear();
    return play_(*this);
  }

  /// Plays it twice the first time, and says what the second one measured: its memory is then mapped, whereas new
  /// memory would be mapped page by page by the kernel, in the time of whoever asks first.
  Sample measured_on_mapped_memory(auto play) {
    if (!std::exchange(is_mapped_, true)) {
      play();
      stage.clear();
    }
    return play();
  }

  double documents() const { return static_cast<double>(order.size()); }

  /// Writes all documents in one second, with ttl from 1 to the longest.
  void fill_at_once(std::int64_t longest_ttl) {
    for (const Slot slot : order) {
      stop_if_interrupted();
      const auto ttl = 1 + random_.below(static_cast<std::uint64_t>(longest_ttl));
      stage.write(slot, static_cast<TtlNumber>(ttl));
    }
  }

  /// Purges in steps until nothing is expired, and returns the time of the longest step.
  double longest_step() {
    constexpr Budget budget{1'000};
    double longest = 0;
    bool is_done = false;
    while (!is_done) {
      const double seconds =
          timed([&] { is_done = stage.structure->expire(stage.now, budget, [this](Slot) { ++stage.expired; }); });
      longest = std::max(longest, seconds);
    }
    return longest;
  }

  Stage<S> stage;
  std::vector<Slot> order;

 private:
  Random random_{7};
  bool is_mapped_ = false;
  Play play_;
};

inline constexpr auto fill_in_a_minute = [](auto& episode) {
  // Computed from the slot: cheaper than reading a list, and the same for the floor.
  const auto ttl_of = [](Slot slot) { return static_cast<TtlNumber>(1 + Random(slot).below(86'400)); };
  return episode.measured_on_mapped_memory([&] {
    const double seconds = timed([&] { episode.stage.fill(episode.order, Seconds{60}, ttl_of); });
    return Sample{seconds, episode.documents(), episode.stage.bytes()};
  });
};

inline constexpr auto drain_in_an_hour = [](auto& episode) {
  constexpr int seconds_to_drain = 3'600;
  episode.fill_at_once(seconds_to_drain);
  const double seconds = timed([&] {
    for (int second = 0; second < seconds_to_drain; ++second) episode.stage.tick();
  });
  return Sample{seconds, episode.documents()};
};

// Half of the documents expire in the jump.
inline auto jump_by(Seconds distance) {
  return [distance](auto& episode) {
    auto& stage = episode.stage;
    episode.fill_at_once(2 * distance.count());
    stage.expired = 0;
    stage.now += distance;
    const double seconds = timed([&] { stage.purge(); });
    return Sample{seconds, static_cast<double>(stage.expired)};
  };
}

// Includes the purge that follows, because a structure may defer its work until then.
inline constexpr auto change_default = [](auto& episode) {
  auto& stage = episode.stage;
  stage.structure->set_default(stage.now, Seconds{86'400});
  stage.fill(episode.order, Seconds{3'600}, [](Slot) { return TtlNumber{0}; });
  const double seconds = timed_precisely([&] {
    for (const Seconds default_ttl : {Seconds{172'800}, Seconds{86'400}}) {
      stage.structure->set_default(stage.now, default_ttl);
      stage.purge();
    }
  });
  return Sample{seconds, 2};
};

inline constexpr auto longest_step_of_a_day = [](auto& episode) {
  episode.fill_at_once(86'400);
  double longest = 0;
  for (int second = 0; second < 3 * 3'600; ++second) {
    episode.stage.now += Seconds{1};
    longest = std::max(longest, episode.longest_step());
  }
  return Sample{longest};
};

inline constexpr auto longest_step_of_a_mass_expiry = [](auto& episode) {
  auto& stage = episode.stage;
  for (const Slot slot : episode.order) stage.write(slot, 3'600);
  stage.now += Seconds{3'600};
  return Sample{episode.longest_step()};
};

}  // namespace mayfly::bench
