#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "mayfly/sim/subject.hpp"
#include "mayfly/sim/target/answer_size.hpp"
#include "mayfly/sim/target/answers.hpp"
#include "mayfly/sim/target/process.hpp"

namespace mayfly {

/// A store that is a program of its own and speaks the target protocol (sim/PROTOCOL.md).
///
/// A target that takes batches gets what was sent in lines of many requests each, as their answers are received. A line
/// ends where it, or by estimate its answer, gets long.
///
/// Used in a process that was forked from this one, it starts a program for that process.
class Target final : public RemoteSubject {
 public:
  /// The time that a program may take to start, up to its answer to hello: generous, for a runtime may have much to
  /// load and a machine much to do.
  static constexpr double usual_seconds_to_start = 60;

  /// Starts the program and says hello. `seconds` is the time it may take for each case. What it is asked fails once
  /// `cancel` says so. Throws InputError if it cannot be started, or does not answer as the protocol wants it.
  Target(const std::string& command, double seconds, double seconds_to_start = usual_seconds_to_start,
         std::function<bool()> cancel = {});

  std::string name() const override { return "target"; }
  void reset(Instant now) override;
  Outcome apply(const Step& step) override;
  Features features() const override { return features_; }
  Outcome receive() override;
  void drop() override;
  void set_timeout(double seconds) override { seconds_ = seconds; }
  void cancel_when(std::function<bool()> is_cancelled) override { cancel_now_ = std::move(is_cancelled); }
  bool restart() override;
  std::string own_name() const override { return own_name_; }
  std::uint64_t answered() const override { return answered_; }

 private:
  using Answer = Answers::Answer;

  void ensure_running();
  Deadline deadline(double seconds) const;
  void say_hello();
  void take_introduction(const boost::json::value& answer);
  Outcome ask(const Request& request);
  void add_to_batch(Request request);
  bool is_batch_full() const;
  void ask_next_batch();
  void ask_batch();
  void forget_answers();
  const Outcome& next_outcome();
  void demand_reset(const Outcome& outcome);

  std::vector<std::string> words_;
  double seconds_to_start_;
  double seconds_;
  std::optional<Process> process_;
  Deadline deadline_;
  std::function<bool()> cancel_;      ///< as long as it lives
  std::function<bool()> cancel_now_;  ///< until the next `cancel_when`
  Features features_;
  std::string own_name_;
  Answers known_;
  std::vector<Request> asked_;
  std::vector<const Answer*> answers_;  ///< to these
  std::size_t received_ = 0;            ///< of these
  std::uint64_t answered_ = 0;
  std::string line_;  ///< a bracket and the requests
  AnswerSize sizes_;
  std::size_t answer_bytes_ = 0;  ///< of the batch, as estimated
};

}  // namespace mayfly
