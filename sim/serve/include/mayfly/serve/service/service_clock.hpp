#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "mayfly/rest/wall_clock.hpp"

namespace mayfly::serve {

/// The server's clock: a wall clock, or a virtual clock that moves only on request. It never goes back, even if the
/// wall clock does.
class ServiceClock {
 public:
  static ServiceClock real(std::function<Instant()> wall = rest::wall_clock_second);
  static ServiceClock virtual_from(Instant start);

  bool is_virtual() const { return !wall_; }
  std::string_view mode() const { return is_virtual() ? "virtual" : "real"; }

  Instant now();

  /// Moves the clock forward to this second, if it is behind.
  void start_no_earlier(Instant start);

  /// Moves a virtual clock. Returns false, and leaves it where it is, if the second is before now or outside the range
  /// of clocks.
  bool move_to(Instant second);

  /// Moves a virtual clock back to this second. Requires that no store has seen a later one.
  void take_back_to(Instant second);

 private:
  ServiceClock(std::function<Instant()> wall, Instant start) : wall_(std::move(wall)), last_(start) {}

  std::function<Instant()> wall_;  ///< none for a virtual clock
  Instant last_;
};

}  // namespace mayfly::serve
