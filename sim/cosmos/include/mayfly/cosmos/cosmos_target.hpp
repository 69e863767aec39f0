#pragma once

#include <memory>
#include <optional>
#include <string>

#include "mayfly/cosmos/standing_clock.hpp"

namespace mayfly::cosmos {

struct CosmosOptions {
  Endpoint endpoint;
  std::string key;
  std::optional<ClockCommand> clock_command;
};

/// An endpoint that answers as Cosmos DB does over REST. Each case has containers of its own.
///
/// There are three kinds of clock. One that stands still, of `mayfly serve --clock virtual` or moved by a command
/// alone, is moved by each advance. If the server has no other client, it is set to the start of each case; otherwise
/// it only goes forward, and the instants of a case are shifted. A clock that runs means real time (RealTime). A clock
/// that runs and that a command can advance too is advanced instead of waited for.
class CosmosTarget final : public RemoteSubject {
 public:
  /// Connects, and finds out which kind of clock the endpoint has. `seconds` is the timeout of a case, in real time of
  /// a request. Throws InputError if the endpoint cannot be used.
  CosmosTarget(const CosmosOptions& options, double seconds);
  ~CosmosTarget() override;

  std::string name() const override { return "target"; }
  void reset(Instant now) override;
  Outcome apply(const Step& step) override;
  Features features() const override { return features_; }
  void set_timeout(double seconds) override { seconds_ = seconds; }
  void cancel_when(std::function<bool()> is_cancelled) override {
    if (time_ == Time::real) real_->cancel_when(std::move(is_cancelled));
  }
  Time time() const override { return time_; }
  std::string own_name() const override;
  std::uint64_t answered() const override { return store_.answered(); }

 private:
  void say_hello(const CosmosOptions& options);
  void let_time_run(Timekeeper& keeper);
  bool runs_by_itself();
  void learn_features();
  Outcome ask(const Operation& operation);
  Outcome advance(Seconds step);
  Outcome purge(Budget budget);
  Outcome held();

  double seconds_;
  CosmosStore store_;
  Features features_;
  Time time_ = Time::shared;
  std::unique_ptr<StandingClock> clock_;  ///< of a clock that stands still
  std::unique_ptr<Timekeeper> moved_;     ///< of a clock that runs and that a command can advance
  std::optional<RealTime> real_;          ///< of every clock that runs
  Clock of_the_case_;
  Instant start_;  ///< the case's first second
  Instant began_;  ///< the second of the store's clock that corresponds to it
};

}  // namespace mayfly::cosmos
