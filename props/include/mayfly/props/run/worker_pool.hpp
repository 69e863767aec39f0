#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "mayfly/props/property/runner.hpp"
#include "mayfly/sim/process/child.hpp"

// Many processes that run cases on one store in parallel. In real time, a case mostly waits, and the processes wait at
// the same time.
//
// A worker answers many questions, because it has a connection and a database of its own, and has to learn the time of
// the store's clock. A question and a violation are one line of JSON each. A worker whose question is no longer wanted
// gets an empty line, and cancels the question within a moment.

namespace mayfly {

class WorkerPool {
 public:
  /// Requires that the store outlives the pool, and that this process has one thread. Workers are started when they are
  /// needed. `timeout` is the time for a case or, where time is real, for a request. Once `cancel` returns true,
  /// running questions are abandoned.
  WorkerPool(RemoteSubject& store, std::size_t most_workers, double timeout, std::function<bool()> cancel);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// For questions that begin from now on.
  void set_timeout(double timeout) { timeout_ = timeout; }

  /// As Runner::first_failure. If a worker dies, the store fails the case.
  Answered first_failure(const Questions& next, const Runner::Counts& counts = {});

  /// Requires that the pool outlives it.
  Runner runner();

 private:
  struct Worker {
    Child process;
    std::optional<std::size_t> place{};  ///< of its question in the list; nothing if it is idle
    bool is_cancelled = false;           ///< its answer is to be dropped
  };

  /// A question that has begun. Those before the first one that is not known to hold are dropped.
  struct Begun {
    Question question;
    bool has_held = false;
  };

  Worker* idle_worker();
  bool begin_next(const Questions& next);
  void cancel_from(std::size_t place);
  void wait();
  bool receive(Worker& worker);
  void finish(Worker& worker, std::optional<Violation> violation);
  void reap(Worker& worker);

  RemoteSubject& store_;
  std::size_t most_workers_;
  double timeout_;
  std::function<bool()> cancel_;
  std::vector<Worker> workers_;

  // Of the current list.
  std::deque<Begun> begun_;
  std::size_t held_ = 0;  ///< number of questions that were dropped
  const Runner::Counts* counts_ = nullptr;
  std::optional<FailedQuestion> failure_;  ///< the first one so far
};

}  // namespace mayfly
