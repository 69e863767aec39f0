#pragma once

#include <functional>
#include <optional>

#include "mayfly/sim/clock_skew.hpp"
#include "mayfly/sim/subject.hpp"
#include "mayfly/sim/timekeeper.hpp"

// A store in real time, whose clock cannot be moved, driven through cases that move it.

namespace mayfly {

/// Such a store. Instants are those of its own clock.
class RunningStore {
 public:
  RunningStore() = default;
  RunningStore(const RunningStore&) = delete;
  RunningStore& operator=(const RunningStore&) = delete;
  virtual ~RunningStore() = default;

  /// An empty store, for a new case.
  virtual void clear() = 0;

  /// Asks it anything but an advance, a purge or an index.
  virtual Outcome ask(const Operation& operation) = 0;

  /// Writes something that no case sees, and returns its `_ts`.
  virtual Instant write_probe() = 0;
};

/// Makes a subject of a store that runs in real time. A case's first second is one of the store's, and an advance waits
/// until the store has got there, so that each request is served in about the second that the case gives it.
///
/// What the store answers is held against every second in which it may have been served (Judge). If one of
/// them excuses the answer, the subject answers what the rules say of the case's own second; if none does, what the
/// store said. So a comparison of the subject with the reference never blames a store for a late answer, and always
/// shows a wrong one.
class RealTime final : public Subject {
 public:
  /// Requires that the store and the timekeeper outlive it. `features` are what the store can do; what needs a clock
  /// that stands still is taken away, and the longest step is for the caller to say.
  RealTime(std::string name, RunningStore& store, Timekeeper& time, ClockSkew skew, Features features);

  std::string name() const override { return name_; }
  Features features() const override { return features_; }
  void reset(Instant now) override;

  /// Throws StoreFailure where the store itself does, and where its answer is wrong only for what happened before.
  Outcome apply(const Step& step) override;

  /// Waiting throws StoreFailure, within a moment, once `is_cancelled` says so.
  void cancel_when(std::function<bool()> is_cancelled) { is_cancelled_ = std::move(is_cancelled); }

  /// How long it has only waited since it was made.
  double waited() const { return waited_; }

 private:
  void learn_the_time();
  Instant first_second(double moment) const;
  void wait_until(double time);
  Outcome judge(const Operation& operation);

  std::string name_;
  RunningStore& store_;
  Timekeeper& time_;
  ClockSkew skew_;
  Features features_;
  Instant start_;   ///< the case's first second,
  Instant began_;   ///< and which it was for the store
  Judge by_case_;   ///< in the seconds of the case
  Judge by_store_;  ///< in those of the store's clock
  int lessons_ = 0;
  std::function<bool()> is_cancelled_;
  double waited_ = 0;
};

/// The longest step of the clock that is worth waiting for.
inline constexpr Seconds longest_wait{3};

}  // namespace mayfly
