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

/// Whatever answers as Cosmos DB does over REST. Each case has containers of its own.
///
/// If its clock stands still, because it is `mayfly serve` with a virtual clock or a command moves it, an advance moves
/// it. Where the server has no other client, each case begins with its own second; otherwise the clock goes on, and a
/// case's instants are as far from the clock's as they were when the case began. If it runs by itself, time is real
/// (RealTime), and if a command can move it all the same, it is moved instead of waited for.
class CosmosTarget final : public RemoteSubject {
 public:
  /// Connects, and finds out how time passes there. `seconds` is the time that a case may take, and where time is real
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
  std::unique_ptr<StandingClock> clock_;  ///< either it stands,
  std::unique_ptr<Timekeeper> moved_;     ///< or it runs and can be moved,
  std::optional<RealTime> real_;          ///< or it runs
  Clock of_the_case_;
  Instant start_;  ///< the case's first second,
  Instant began_;  ///< and which it was for the store
};

}  // namespace mayfly::cosmos
