#pragma once

#include "mayfly/sim/judge.hpp"

namespace mayfly {

/// How far a store's clock is ahead of ours, as far as it is known: between two bounds. Times of ours are seconds since
/// some moment.
class ClockSkew {
 public:
  /// `blur` is by how much the clocks of the store's machines may differ among themselves, in seconds.
  explicit ClockSkew(double blur = 0) : blur_(blur) {}

  /// The store wrote `ts` for a request that was sent and answered at these times: its clock showed that second
  /// somewhere in between. Each lesson narrows the bounds, down to how long a request takes; between lessons they
  /// widen, for no two clocks run alike.
  void learn(double sent, double answered, Instant ts);

  /// The seconds in which a request may have been served. Requires a lesson.
  Window window(double sent, double answered) const;

  /// From when on, by our clock, the store's has reached that second on all of its machines. Requires a lesson.
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
