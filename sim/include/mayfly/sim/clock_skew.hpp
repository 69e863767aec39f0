#pragma once

#include "mayfly/sim/judge.hpp"

namespace mayfly {

/// How far a store's clock is ahead of the harness's, estimated as an interval. Times of the harness are seconds since
/// a fixed moment.
class ClockSkew {
 public:
  /// `blur` is the largest difference between the clocks of the store's machines, in seconds.
  explicit ClockSkew(double blur = 0) : blur_(blur) {}

  /// Learns from a write that the harness sent at `sent` and had answered at `answered`, and to which the store gave
  /// the time stamp `ts`: in between, the store's clock showed that second. Each call narrows the interval, down to the
  /// duration of a request. Between calls the interval widens, because two clocks never run at exactly the same speed.
  void learn(double sent, double answered, Instant ts);

  /// The seconds of the store's clock in which it may have served a request. Requires an earlier `learn`.
  Window window(double sent, double answered) const;

  /// The earliest time by the harness's clock at which all machines of the store have certainly reached that second.
  /// Requires an earlier `learn`.
  double surely_at(Instant second) const;

 private:
  struct Bounds {
    double least = 0;
    double most = 0;
  };
  Bounds at(double time) const;

  double blur_;
  bool has_learnt_ = false;
  double learnt_at_ = 0;
  Bounds learnt_;
};

}  // namespace mayfly
