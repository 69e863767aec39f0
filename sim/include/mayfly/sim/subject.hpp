#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

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

 private:
  Digest* digest_ = nullptr;
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
  /// Asks all this at once, a reset first, and then shows the answers in turn, until somebody has seen enough: false.
  using Seen = std::function<bool(std::size_t request, const Outcome& answer)>;
  virtual void ask_all(std::span<const Request> requests, const Seen& sees) {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      Outcome answer;
      if (const auto* begins = std::get_if<Reset>(&requests[i])) reset(begins->now);
      if (const auto* step = std::get_if<Step>(&requests[i])) answer = apply(*step);
      if (!sees(i, answer)) return;
    }
  }

  /// Asks now what is going to be asked next, all at once. Should something else be asked after all, only time is lost.
  /// A store that is asked step by step need not.
  virtual void ask_ahead(std::span<const Request> requests) { static_cast<void>(requests); }

  /// How long it may take for a case from now on.
  virtual void allow(double seconds) = 0;

  /// Fails the case that it is at, within a moment, once `gives_up` says so. A store that is never slow need not.
  virtual void fail_when(std::function<bool()> gives_up) { static_cast<void>(gives_up); }

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
