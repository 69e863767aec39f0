#pragma once

namespace mayfly {

/// The harness's clock in real time, as an interface so that tests need not wait.
class Timekeeper {
 public:
  Timekeeper() = default;
  Timekeeper(const Timekeeper&) = delete;
  Timekeeper& operator=(const Timekeeper&) = delete;
  virtual ~Timekeeper() = default;

  /// Seconds since a fixed moment.
  virtual double now() = 0;

  /// Returns at that time, or a little later.
  virtual void wait_until(double time) = 0;
};

/// The clock of this machine.
Timekeeper& real_timekeeper();

}  // namespace mayfly
