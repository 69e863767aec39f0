#pragma once

#include <string>
#include <vector>

#include "mayfly/sim/timekeeper.hpp"

namespace mayfly::cosmos {

/// A user's command that advances the clock of a store. The number of seconds is appended to it.
class ClockCommand {
 public:
  /// `seconds` is its timeout. Throws InputError if the command is empty or a quote in it is not closed.
  ClockCommand(const std::string& command, double seconds);

  /// Throws StoreFailure if it cannot be started, fails or takes too long.
  void move(std::int64_t seconds) const;

 private:
  std::vector<std::string> words_;
  double seconds_;
};

/// The time of a running clock that a command can also advance. Waiting advances it by the whole seconds, and waits
/// only for the rest.
class MovedTimekeeper final : public Timekeeper {
 public:
  explicit MovedTimekeeper(ClockCommand command) : command_(std::move(command)) {}

  double now() override;
  void wait_until(double time) override;

 private:
  ClockCommand command_;
  double moved_ = 0;
};

}  // namespace mayfly::cosmos
