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

  /// Empties the account and begins anew at this second, if the clock can and the account has no database but ours;
  /// false, and nothing has happened, if not.
  virtual bool begin_anew(Instant /*now*/) { return false; }

  /// Moves it, and returns what it shows then. Throws StoreFailure if it does not move.
  virtual Instant advance(Seconds step) = 0;
};

/// That of `mayfly serve --clock virtual`, or nothing if there is none at the endpoint.
std::unique_ptr<StandingClock> mayfly_clock(CosmosStore& store);

/// One that a command moves.
std::unique_ptr<StandingClock> commanded_clock(CosmosStore& store, ClockCommand command);

}  // namespace mayfly::cosmos
