#pragma once

#include "../interrupt.hpp"
#include "../workload.hpp"
#include "stage.hpp"

// Workloads without end: every document is written every ten minutes on average, and the purger runs every second.

namespace mayfly::bench {

template <class S>
constexpr bool is_lazy() {
  if constexpr (requires { S::is_lazy; }) return S::is_lazy;
  return false;
}

/// A store in its steady state. `Action` is applied to documents drawn at random.
template <Structure S, class Action>
class Steady final : public Run {
 public:
  Steady(std::size_t documents, Ttls ttls, Action action)
      : writes_(documents, ttls, 1),
        each_second_(1 + documents / 600),
        batch_(std::min<std::size_t>(2 * documents, 1 << 16)),
        action_(action),
        stage_(documents) {
    writes_.next(batch_);  // allocates, which must not count as the structure's memory
    stage_.clear();
    ttls == Ttls::inherit ? live_through_a_day() : live_through_hours(ttls);
    stage_.pause();
  }

  Sample iterate() override {
    const auto writes = writes_.next(batch_);
    stage_.resume();
    const double seconds = timed([&] { play(writes); });
    const double bytes = stage_.bytes();
    stage_.pause();
    return {seconds, static_cast<double>(writes.size()), bytes};
  }

 private:
  // Second by second; the last second may be left unfinished.
  void play(std::span<const Write> writes) {
    while (!writes.empty()) {
      if (left_in_second_ == 0) {
        stage_.tick();
        left_in_second_ = each_second_;
      }
      const auto now = writes.first(std::min(left_in_second_, writes.size()));
      for (const Write write : now) action_(stage_, write);
      left_in_second_ -= now.size();
      writes = writes.subspan(now.size());
    }
  }

  // The default is a day. All documents were created in the course of it and written again in its last hour. So entries
  // that a lazy structure did not move come due from now on, equally many in each second.
  void live_through_a_day() {
    const std::size_t documents = stage_.documents.size();
    const auto inherits = [](Slot) { return TtlNumber{0}; };
    stage_.structure->set_default(stage_.now, Seconds{86'400});
    stage_.fill(shuffled(documents, 3), Seconds{82'000}, inherits);
    stage_.fill(shuffled(documents, 4), Seconds{3'600}, inherits);
  }

  // The deferred work of a lazy structure reaches its steady state after some hours.
  void live_through_hours(Ttls ttls) {
    const std::size_t documents = stage_.documents.size();
    Random random(5);
    stage_.fill(shuffled(documents, 3), Seconds{3'600}, [&](Slot slot) { return draw_ttl(ttls, slot, random); });
    for (std::size_t batches = is_lazy<S>() ? 6 * documents / batch_ : 0; batches > 0; --batches) {
      stop_if_interrupted();
      play(writes_.next(batch_));
    }
  }

  Writes writes_;
  std::size_t each_second_;
  std::size_t left_in_second_ = 0;
  std::size_t batch_;
  Action action_;
  Stage<S> stage_;
};

inline constexpr auto refresh = [](auto& stage, Write write) { stage.write(write.slot, write.ttl); };

inline constexpr auto delete_and_recreate = [](auto& stage, Write write) {
  if (stage.documents[write.slot].stored) stage.structure->erase(write.slot);
  refresh(stage, write);
};

inline constexpr auto write_and_ask = [](auto& stage, Write write) {
  refresh(stage, write);
  stage.wakes_at = stage.structure->next();
};

}  // namespace mayfly::bench
