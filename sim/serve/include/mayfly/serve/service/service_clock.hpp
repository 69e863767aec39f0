#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "mayfly/rest/wall_clock.hpp"

namespace mayfly::serve {

/// The server's time: a wall clock's, or a virtual clock's that moves only when told to. It never goes back, whatever
/// the wall clock does.
class ServiceClock {
 public:
  static ServiceClock real(std::function<Instant()> wall = rest::wall_clock_second);
  static ServiceClock virtual_from(Instant start);

  bool is_virtual() const { return !wall_; }
  std::string_view mode() const { return is_virtual() ? "virtual" : "real"; }

  Instant now();

  /// Goes on from no earlier second than this one.
  void start_no_earlier(Instant start);

  /// Moves a virtual clock to a second that is not before now. False, and stays, if it would go back or leave the
  /// range of clocks.
  bool move_to(Instant second);

  /// Takes back the moves of a virtual clock since this second. Requires that no store has seen them.
  void take_back_to(Instant second);

 private:
  ServiceClock(std::function<Instant()> wall, Instant start) : wall_(std::move(wall)), last_(start) {}

  std::function<Instant()> wall_;  ///< none for a virtual clock
  Instant last_;
};

/// A second from text: a number of seconds, or a date such as 2030-01-31 or 2030-01-31T12:00:00Z. Nothing if it is
/// neither, or out of range.
std::optional<Instant> parse_instant(std::string_view text);

/// 2023-11-14T22:13:20Z
std::string date_text(Instant instant);

}  // namespace mayfly::serve
