#pragma once

#include "../workload.hpp"
#include "stage.hpp"

namespace mayfly::bench {

/// A day of a session store, one hour an iteration. Users arrive in random order and stay for about an hour: a user
/// signs in, is seen three times on average, and in one case of four signs out; the other sessions expire. One user in
/// ten is remembered for 30 days. More users arrive by day than at night. The default ttl is half an hour, and one hour
/// from noon to six.
template <Structure S>
class SessionStore final : public Run {
 public:
  explicit SessionStore(std::size_t users) : order_(shuffled(users, 1)), stage_(users) { set_default(half_an_hour); }

  Sample iterate() override {
    prepare_hour();
    const double seconds = timed([&] { play_hour(); });
    ++hour_;
    return {seconds, static_cast<double>(actions_.size())};
  }

 private:
  enum class Kind : std::uint8_t { sign_in, seen, sign_out };
  struct Action {
    Slot slot;
    Kind kind;
  };
  static constexpr Seconds half_an_hour{1'800};
  static constexpr TtlNumber month = 30 * 86'400;

  void set_default(Seconds seconds) {
    stage_.structure->set_default(stage_.now, seconds);
    stage_.purge();
  }

  // Three times as many at noon as at midnight.
  std::size_t arrivals() const {
    const auto from_midnight = static_cast<std::size_t>(std::min(hour_ % 24, 24 - hour_ % 24));
    return 1 + order_.size() * (6 + from_midnight) / (24 * 12);
  }

  Slot user(std::size_t number) const { return order_[number % order_.size()]; }

  void prepare_hour() {
    actions_.clear();
    const std::size_t window = arrivals();
    for (const std::size_t last = arrived_ + window; arrived_ < last; ++arrived_) {
      actions_.push_back({user(arrived_), Kind::sign_in});
      for (int seen = 0; seen < 3; ++seen) actions_.push_back({user(recent(window)), Kind::seen});
      if (random_.one_in(4)) actions_.push_back({user(recent(window)), Kind::sign_out});
    }
  }

  std::size_t recent(std::size_t window) { return arrived_ + order_.size() - random_.below(window); }

  void play_hour() {
    if (hour_ % 24 == 12) set_default(2 * half_an_hour);
    if (hour_ % 24 == 18) set_default(half_an_hour);
    std::size_t done = 0;
    for (std::size_t second = 1; second <= 3'600; ++second) {
      stage_.tick();
      for (const std::size_t end = actions_.size() * second / 3'600; done < end; ++done) play(actions_[done]);
    }
  }

  void play(const Action& action) {
    const auto& document = stage_.documents[action.slot];
    switch (action.kind) {
      case Kind::sign_in:
        return stage_.write(action.slot, action.slot % 10 == 0 ? month : 0);
      case Kind::seen:
        return stage_.write(action.slot, document.stored ? document.ttl : 0);
      case Kind::sign_out:
        if (document.stored) stage_.structure->erase(action.slot);
    }
  }

  std::vector<Slot> order_;
  Stage<S> stage_;
  Random random_{11};
  std::vector<Action> actions_;
  std::size_t arrived_ = 0;
  std::int64_t hour_ = 0;
};

}  // namespace mayfly::bench
