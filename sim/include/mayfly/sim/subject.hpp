#pragma once

#include <cassert>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>

#include "mayfly/sim/apply.hpp"
#include "mayfly/sim/digest.hpp"
#include "mayfly/sim/features.hpp"

namespace mayfly {

class RemoteSubject;

/// A store under test with its clock. Properties are written against this class, so one compiled property serves every
/// store.
class Subject {
 public:
  Subject() = default;
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  virtual ~Subject() = default;

  virtual std::string name() const = 0;

  /// Starts a new case: an empty store whose clock stands at `now`.
  virtual void reset(Instant now) = 0;

  virtual Outcome apply(const Step& step) = 0;

  /// Sends a case. `receive` returns its answers one at a time and in order; the first is that to the reset, and empty.
  /// Several cases may be sent before the first answer is received. Requires that a case lives until its answers are
  /// received or dropped.
  void send(const Case& test_case) { sent_.push_back(&test_case); }

  /// Returns the next answer. Requires that one is outstanding. In this class, each request is executed when its answer
  /// is received.
  virtual Outcome receive() {
    const auto request = next_request();
    if (const auto* start = std::get_if<Instant>(&request)) reset(*start);
    return std::holds_alternative<Instant>(request) ? Outcome{} : apply(*std::get<const Step*>(request));
  }

  /// Drops all outstanding answers.
  virtual void drop() {
    sent_.clear();
    next_ = 0;
  }

  /// The features of the store. Callers must not send operations that need other features.
  virtual Features features() const { return {}; }

  /// This subject as a RemoteSubject, or null.
  virtual RemoteSubject* remote() { return nullptr; }

  /// Adds all further requests and answers to `digest`, until called with null.
  void record_in(Digest* digest) { digest_ = digest; }

 protected:
  /// To be called for every answer that the subject returns.
  void record(const Step& step, const Outcome& answer) {
    if (!digest_) return;
    digest_->add(step.operation);
    digest_->add(answer);
  }

  /// Takes the next request of the cases that were sent: the start of a case, or one of its steps.
  std::variant<Instant, const Step*> next_request() {
    assert(has_requests());
    const Case& test_case = *sent_.front();
    const std::size_t at = next_++;
    if (at == test_case.steps.size()) {
      sent_.pop_front();
      next_ = 0;
    }
    if (at == 0) return test_case.start;
    return &test_case.steps[at - 1];
  }
  bool has_requests() const { return !sent_.empty(); }

 private:
  Digest* digest_ = nullptr;
  std::deque<const Case*> sent_;  ///< the cases with requests that were not yet taken
  std::size_t next_ = 0;          ///< the next request in the first of them; 0 is the reset
};

/// Sends a case to a subject and receives the answer to its reset. The destructor drops the answers that were not
/// received.
class SentCase {
 public:
  SentCase(Subject& subject, const Case& test_case) : subject_(subject) {
    subject_.drop();
    subject_.send(test_case);
    subject_.receive();
  }
  SentCase(const SentCase&) = delete;
  SentCase& operator=(const SentCase&) = delete;
  ~SentCase() { subject_.drop(); }

  /// The answer to the next step.
  Outcome receive() { return subject_.receive(); }

 private:
  Subject& subject_;
};

/// A store in another process ended or failed in the middle of a case. The first line of the message says how, the
/// other lines are the store's last output.
class StoreFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A store in another process. It may crash or hang without affecting the harness: its requests then throw
/// StoreFailure, and the next reset starts a new process.
class RemoteSubject : public Subject {
 public:
  /// Sets the timeout of a case, from now on.
  virtual void set_timeout(double seconds) = 0;

  /// Once `is_cancelled` returns true, the current case fails shortly after. A subject that is never slow may ignore
  /// this.
  virtual void cancel_when(std::function<bool()> is_cancelled) { static_cast<void>(is_cancelled); }

  /// Ends the process of the store, so that the next case starts a new one. Returns false, and leaves the store as it
  /// is, if there is no such process.
  virtual bool restart() { return false; }

  /// Which clock an advance moves: each process has a store and a clock of its own; or they share one clock, so only
  /// one may run cases at a time; or the clock cannot be moved, and running cases in parallel hides the waiting.
  enum class Time { own, shared, real };
  virtual Time time() const { return Time::own; }

  /// The name that the store gives itself, as JSON.
  virtual std::string own_name() const = 0;

  /// The number of requests that the store has answered.
  virtual std::uint64_t answered() const = 0;

  RemoteSubject* remote() final { return this; }
};

/// Whether the store runs in real time, so that every `advance` has to be waited out.
inline bool is_in_real_time(Subject& store) {
  return store.remote() && store.remote()->time() == RemoteSubject::Time::real;
}

/// When a subject calls its store's `check_invariants`: after every operation in tests, never where speed counts.
enum class Audit { never, every_operation };

/// A store in this process. If the class has a member `features`, the subject gets no requests that need others.
template <Store S>
class InProcess final : public Subject {
 public:
  /// Each case begins with a copy of `empty`.
  explicit InProcess(std::string name, Audit audit = Audit::never, S empty = {})
      : name_(std::move(name)), audit_(audit), empty_(std::move(empty)) {}

  std::string name() const override { return name_; }

  void reset(Instant now) override {
    store_ = empty_;
    clock_ = Clock{now};
  }

  Outcome apply(const Step& step) override {
    Outcome outcome = mayfly::apply(store_, clock_, step.operation);
    if constexpr (requires { store_.check_invariants(); }) {
      if (audit_ == Audit::every_operation) store_.check_invariants();
    }
    record(step, outcome);
    return outcome;
  }

  Features features() const override {
    if constexpr (requires { Features{S::features}; }) return S::features;
    return {};
  }

 private:
  std::string name_;
  Audit audit_;
  S empty_;
  S store_;
  Clock clock_;
};

}  // namespace mayfly
