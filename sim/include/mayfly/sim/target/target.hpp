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
/// A target with the feature `batch` gets lines of many requests. A line is sent when its first answer is received, and
/// ends where it, or the estimate of its answer, gets long.
///
/// In a forked process, it starts a program for that process.
class Target final : public RemoteSubject {
 public:
  /// The timeout for the start of a program, up to its answer to hello. It is generous, because a runtime may have much
  /// to load and the machine may be busy.
  static constexpr double usual_seconds_to_start = 60;

  /// Starts the program and says hello. `seconds` is the timeout of a case. Requests fail once `cancel` returns true.
  /// Throws InputError if the program cannot be started, or its answer breaks the protocol.
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
  /// The answer, which is malformed if it has no charge where the target announced charges.
  Outcome with_charge_demanded(const Step& step, Outcome outcome) const;

  std::vector<std::string> words_;
  double seconds_to_start_;
  double seconds_;
  std::optional<Process> process_;
  Deadline deadline_;
  std::function<bool()> cancel_;      ///< for every request
  std::function<bool()> cancel_now_;  ///< until the next `cancel_when`
  Features features_;
  std::string own_name_;
  Answers known_;
  std::vector<Request> asked_;
  std::vector<const Answer*> answers_;  ///< to `asked_`
  std::size_t received_ = 0;            ///< of `answers_`
  std::uint64_t answered_ = 0;
  std::string line_;  ///< a bracket and the requests
  AnswerSize sizes_;
  std::size_t answer_bytes_ = 0;  ///< of the batch, as estimated
};

}  // namespace mayfly
