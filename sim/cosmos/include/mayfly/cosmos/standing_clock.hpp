#pragma once

#include "mayfly/cosmos/clock_command.hpp"
#include "mayfly/cosmos/cosmos_store.hpp"

namespace mayfly::cosmos {

/// A store's clock that stands still unless it is moved.
class StandingClock {
 public:
  StandingClock() = default;
  StandingClock(const StandingClock&) = delete;
  StandingClock& operator=(const StandingClock&) = delete;
  virtual ~StandingClock() = default;

  virtual Instant now() = 0;

  /// Empties the account and sets the clock to this second. Returns false, and changes nothing, if the clock cannot be
  /// set back or the account has databases of other clients.
  virtual bool begin_anew(Instant /*now*/) { return false; }

  /// Moves the clock, and returns its new second. Throws StoreFailure if it does not move.
  virtual Instant advance(Seconds step) = 0;
};

/// The clock of `mayfly serve --clock virtual`, or null if the endpoint has none.
std::unique_ptr<StandingClock> mayfly_clock(CosmosStore& store);

/// A clock that a command moves.
std::unique_ptr<StandingClock> commanded_clock(CosmosStore& store, ClockCommand command);

}  // namespace mayfly::cosmos
