#pragma once

#include "../workload.hpp"
#include "stage.hpp"

// Workloads that end: each iteration starts with a new store, whose preparation is not timed.

namespace mayfly::bench {

template <Structure S>
class Episode : public Run {
 public:
  explicit Episode(std::size_t documents) : stage_(documents), order_(shuffled(documents, 1)) {}

  Sample iterate() final {
    stage_.clear();
    return play();
  }

 protected:
  virtual Sample play() = 0;

  /// Writes all documents in one second, with ttl from 1 to the longest.
  void fill_at_once(std::int64_t longest_ttl) {
    const auto ttl_of = [&](Slot) {
      return static_cast<TtlNumber>(1 + random_.below(static_cast<std::uint64_t>(longest_ttl)));
    };
    for (const Slot slot : order_) {
      stop_if_interrupted();
      stage_.structure->write(slot, stage_.now, ttl_of(slot));
    }
  }

  /// Purges in steps until nothing is expired, and returns the time of the longest step.
  double longest_step() {
    constexpr Budget budget{1'000};
    double longest = 0;
    bool is_done = false;
    while (!is_done) {
      const double seconds =
          timed([&] { is_done = stage_.structure->expire(stage_.now, budget, [this](Slot) { ++stage_.expired; }); });
      longest = std::max(longest, seconds);
    }
    return longest;
  }

  Stage<S> stage_;
  std::vector<Slot> order_;
  Random random_{7};
};

template <Structure S>
class Fill final : public Episode<S> {
  using Episode<S>::Episode;
  Sample play() override {
    // Computed from the slot: cheaper than reading a list, and the same for the floor.
    const auto ttl_of = [](Slot slot) { return static_cast<TtlNumber>(1 + Random(slot).below(86'400)); };
    const double seconds = timed([&] { this->stage_.fill(this->order_, Seconds{60}, ttl_of); });
    return {seconds, static_cast<double>(this->order_.size()), this->stage_.bytes()};
  }
};

template <Structure S>
class Drain final : public Episode<S> {
  using Episode<S>::Episode;
  Sample play() override {
    constexpr int seconds_to_drain = 3'600;
    this->fill_at_once(seconds_to_drain);
    const double seconds = timed([&] {
      for (int second = 0; second < seconds_to_drain; ++second) this->stage_.tick();
    });
    return {seconds, static_cast<double>(this->order_.size())};
  }
};

template <Structure S>
class Jump final : public Episode<S> {
 public:
  Jump(std::size_t documents, Seconds distance) : Episode<S>(documents), distance_(distance) {}

 private:
  // Half of the documents expire in the jump.
  Sample play() override {
    auto& stage = this->stage_;
    this->fill_at_once(2 * distance_.count());
    stage.expired = 0;
    stage.now += distance_;
    const double seconds = timed([&] { stage.purge(); });
    return {seconds, static_cast<double>(stage.expired)};
  }

  Seconds distance_;
};

template <Structure S>
class ChangeOfDefault final : public Episode<S> {
  using Episode<S>::Episode;
  // Includes the purge that follows, because a structure may defer its work until then.
  Sample play() override {
    auto& stage = this->stage_;
    stage.structure->set_default(stage.now, Seconds{86'400});
    stage.fill(this->order_, Seconds{3'600}, [](Slot) { return TtlNumber{0}; });
    Seconds longer{172'800}, shorter{86'400};
    const double seconds = timed_precisely([&] {
      for (const Seconds default_ttl : {longer, shorter}) {
        stage.structure->set_default(stage.now, default_ttl);
        stage.purge();
      }
    });
    return {seconds, 2};
  }
};

template <Structure S>
class LongestStepOfADay final : public Episode<S> {
  using Episode<S>::Episode;
  Sample play() override {
    this->fill_at_once(86'400);
    double longest = 0;
    for (int second = 0; second < 3 * 3'600; ++second) {
      this->stage_.now += Seconds{1};
      longest = std::max(longest, this->longest_step());
    }
    return {longest};
  }
};

template <Structure S>
class LongestStepOfAMassExpiry final : public Episode<S> {
  using Episode<S>::Episode;
  Sample play() override {
    for (const Slot slot : this->order_) this->stage_.structure->write(slot, this->stage_.now, 3'600);
    this->stage_.now += Seconds{3'600};
    return {this->longest_step()};
  }
};

}  // namespace mayfly::bench
