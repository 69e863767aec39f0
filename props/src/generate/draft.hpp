#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "mayfly/model/expiry.hpp"
#include "mayfly/props/generate/generate.hpp"
#include "mayfly/sim/random.hpp"
#include "words.hpp"

namespace mayfly {

/// A case that is being made, and what every plot draws for it: times, ttls, defaults, values and budgets.
class Draft {
 public:
  Case take() { return std::move(case_); }

 protected:
  Draft(std::uint64_t seed, const World& world) : random_(seed), world_(world) {}

  /// Draws the second at which the case starts, and puts the clock there.
  void begin();

  // Time to live.

  TtlField draw_ttl();
  std::int64_t draw_seconds();
  TtlField draw_invalid();
  TtlField written(std::int64_t number);

  /// A default. If it is to put a deadline here, `aimed()` says how.
  template <class Aimed>
  TtlField draw_default(Aimed aimed) {
    const auto which = random_.below(16);
    if (which < 3) return Absent{};
    if (which == 3) return Null{};
    if (which < 7) return written(-1);
    if (which == 7) return draw_invalid();
    const bool aims = random_.below(100) < world_.boundary;
    return written(aims ? aimed() : draw_seconds());
  }

  /// What a valid setting means to the generator: 0 is off or inherit, -1 is never.
  template <class Setting>
  static std::int64_t number_of(const Setting& setting) {
    if (const auto* seconds = std::get_if<Seconds>(&setting)) return seconds->count();
    return std::holds_alternative<Never>(setting) ? -1 : 0;
  }

  // Time.

  /// A step that aims at no deadline, by a draw below 8.
  std::int64_t draw_step(std::uint64_t which);
  /// The step as far as the clock goes; the clock takes it.
  Advance step_of_clock(std::int64_t step);

  // Everything else.

  /// By a draw below 20.
  static Indexing indexing_of(std::uint64_t which) {
    return which % 4 == 0 ? Indexing::lazy : which % 9 == 1 ? Indexing::none : Indexing::consistent;
  }
  std::string draw_value();
  Budget draw_budget();

  void add(Step step) { case_.steps.push_back(std::move(step)); }

  Random random_;
  const World world_;
  Size value_size_ = Size::line;
  std::int64_t now_ = 0;
  Case case_;

 private:
  std::int64_t draw_start();
  std::int64_t within_a_step(std::int64_t seconds) const;
  std::int64_t seconds_of_any_magnitude();
  std::int64_t draw_round();
  std::int64_t seconds_to_a_round_time();
};

// The plots.
Case in_any_order(std::uint64_t seed, const World& world);
Case with_a_crowd(std::uint64_t seed, const World& world);
Case with_a_history(std::uint64_t seed, const World& world);

}  // namespace mayfly
