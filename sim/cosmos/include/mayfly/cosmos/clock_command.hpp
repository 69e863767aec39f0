#pragma once

#include <string>
#include <vector>

#include "mayfly/sim/timekeeper.hpp"

namespace mayfly::cosmos {

/// A command of the user's that moves the clock of a store: it is called with a number of seconds as its last word.
class ClockCommand {
 public:
  /// `seconds` is how long it may take. Throws InputError if the command is none.
  ClockCommand(const std::string& command, double seconds);

  /// Throws StoreFailure if it cannot be started, fails or takes too long.
  void move(std::int64_t seconds) const;

 private:
  std::vector<std::string> words_;
  double seconds_;
};

/// Real time that can be made to pass: instead of waiting, the store's clock is moved, but for a part of a second.
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
