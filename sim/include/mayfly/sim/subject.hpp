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

/// A store under test together with its clock: properties are written against this, so that one compiled property
/// serves every store.
class Subject {
 public:
  Subject() = default;
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  virtual ~Subject() = default;

  virtual std::string name() const = 0;

  /// An empty store whose clock stands at `now`.
  virtual void reset(Instant now) = 0;

  virtual Outcome apply(const Step& step) = 0;

  /// Sends a case, whose answers are collected later: `receive` returns them one at a time and in order, first that to
  /// the reset, which is empty. Several cases may be sent before the first answer is received. Requires that a case
  /// lives until its answers were received or dropped.
  void send(const Case& test_case) { sent_.push_back(&test_case); }

  /// Requires that there is an answer to come. Here each request is carried out when its answer is received.
  virtual Outcome receive() {
    const auto request = next_request();
    if (const auto* start = std::get_if<Instant>(&request)) reset(*start);
    return std::holds_alternative<Instant>(request) ? Outcome{} : apply(*std::get<const Step*>(request));
  }

  /// Drops all answers that are still to come.
  virtual void drop() {
    sent_.clear();
    next_ = 0;
  }

  /// Operations that need others must not be asked of it.
  virtual Features features() const { return {}; }

  /// Itself, if it is one.
  virtual RemoteSubject* remote() { return nullptr; }

  /// From now on takes in all that is asked and answered, until it is given nothing.
  void record_in(Digest* digest) { digest_ = digest; }

 protected:
  /// For every answer that is given away.
  void record(const Step& step, const Outcome& answer) {
    if (!digest_) return;
    digest_->add(step.operation);
    digest_->add(answer);
  }

  /// Takes the next request of the cases that were sent: the second at which one starts, or a step of it.
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
  std::deque<const Case*> sent_;  ///< the cases whose requests were not all taken
  std::size_t next_ = 0;          ///< request of the first of them, the reset included
};

/// A case that was sent to a subject, and whose reset was answered. What is not received in the end is dropped.
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

/// A store in another process broke off the conversation. The first line says how, the others what it said last.
class StoreFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A store in another process. It may crash or hang and takes nobody along: what it is asked throws StoreFailure then,
/// and the next reset begins with a new process.
class RemoteSubject : public Subject {
 public:
  /// How long it may take for a case from now on.
  virtual void set_timeout(double seconds) = 0;

  /// Fails the case that it is at, within a moment, once `is_cancelled` says so. A store that is never slow need not.
  virtual void cancel_when(std::function<bool()> is_cancelled) { static_cast<void>(is_cancelled); }

  /// Ends the process that the store lives in, so that the next case meets a new one. False if there is no such
  /// process, and the store stays as it is.
  virtual bool restart() { return false; }

  /// Whose clock it is that cases move: each process has a store and a clock of its own; they share one clock, so that
  /// only one may run cases at a time; or nobody can move it, and the more run side by side, the less is waited.
  enum class Time { own, shared, real };
  virtual Time time() const { return Time::own; }

  /// What it calls itself, as JSON.
  virtual std::string own_name() const = 0;

  /// How many requests it has answered.
  virtual std::uint64_t answered() const = 0;

  RemoteSubject* remote() final { return this; }
};

/// Whether nobody can move the store's clock, so that what a case does not ask is waited for.
inline bool is_in_real_time(Subject& store) {
  return store.remote() && store.remote()->time() == RemoteSubject::Time::real;
}

/// When a subject calls its store's `check_invariants`: after every operation in tests, never where speed counts.
enum class Audit { never, every_operation };

/// A store in this process. One that lacks something says so in a member `features`, and is not asked for it.
template <Store S>
class InProcess final : public Subject {
 public:
  /// A case begins with a copy of `empty`.
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
