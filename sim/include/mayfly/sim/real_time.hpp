#pragma once

#include <functional>
#include <optional>

#include "mayfly/sim/clock_skew.hpp"
#include "mayfly/sim/subject.hpp"
#include "mayfly/sim/timekeeper.hpp"

// Drives a store in real time, whose clock cannot be moved, through cases that move the clock.

namespace mayfly {

/// A store in real time. Instants are those of its own clock.
class RunningStore {
 public:
  RunningStore() = default;
  RunningStore(const RunningStore&) = delete;
  RunningStore& operator=(const RunningStore&) = delete;
  virtual ~RunningStore() = default;

  /// Empties the store, for a new case.
  virtual void clear() = 0;

  /// Sends any operation except an advance, a purge or an index.
  virtual Outcome ask(const Operation& operation) = 0;

  /// Writes a document outside the collections of cases, and returns its `_ts`.
  virtual Instant write_probe() = 0;
};

/// Makes a subject of a store in real time. The first second of a case corresponds to a second of the store's clock,
/// and an advance waits until the store has reached the new second. So the store serves each request in about the
/// second that the case gives it.
///
/// An answer of the store is compared with every second in which the store may have served the request (Judge). If one
/// of these seconds allows the answer, the subject answers what the rules require in the case's own second. If none
/// does, the subject passes on the store's answer. So comparing the subject with the reference never blames a store for
/// a late answer, and always shows a wrong one.
class RealTime final : public Subject {
 public:
  /// Requires that the store and the timekeeper outlive this object. `features` are those of the store. The subject
  /// removes the features that need a clock that stands still; the caller chooses the longest step.
  RealTime(std::string name, RunningStore& store, Timekeeper& time, ClockSkew skew, Features features);

  std::string name() const override { return name_; }
  Features features() const override { return features_; }
  void reset(Instant now) override;

  /// Throws StoreFailure if the store does, or if the answer is wrong only because of an earlier one.
  Outcome apply(const Step& step) override;

  /// Once `is_cancelled` returns true, waiting stops shortly after and throws StoreFailure.
  void cancel_when(std::function<bool()> is_cancelled) { is_cancelled_ = std::move(is_cancelled); }

  /// The seconds spent waiting since the construction.
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
  Instant start_;   ///< the case's first second
  Instant began_;   ///< the second of the store's clock that corresponds to it
  Judge by_case_;   ///< in the seconds of the case
  Judge by_store_;  ///< in the seconds of the store's clock
  int lessons_ = 0;
  std::function<bool()> is_cancelled_;
  double waited_ = 0;
};

/// The longest step of the clock that is worth waiting for.
inline constexpr Seconds longest_wait{3};

}  // namespace mayfly
