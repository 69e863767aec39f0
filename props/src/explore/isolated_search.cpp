#include "mayfly/props/explore/isolated_search.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/run/isolate.hpp"
#include "mayfly/sim/process/shared_memory.hpp"
#include "mayfly/sim/stopwatch.hpp"

namespace mayfly {

namespace {

/// Memory shared between the searching process and its parent.
struct SearchBoard {
  std::atomic<bool> stop{false};
  std::atomic<double> began{0};  ///< start time of the current state
  std::atomic<std::size_t> depth{0};
  std::atomic<std::size_t> states{0};
  std::atomic<std::uint64_t> transitions{0};
  Exploration::End end = Exploration::End::violation;  ///< unless the searching process reports another end
  std::size_t path_length = 0;
  std::array<VisitedStates::Step, greatest_depth> path;  ///< to the state at which the search ended
};

class IsolatedSearch {
 public:
  IsolatedSearch(const Scope& scope, const ExploreLimits& limits, Subject& subject, double most_seconds,
                 const std::function<bool()>& cancel)
      : scope_(scope), limits_(limits), subject_(subject), most_seconds_(most_seconds), cancel_(cancel) {
    assert(limits.depth <= greatest_depth);
  }

  // The path to the current state is lost with a process that died. A second process, which takes the same course,
  // stops exactly at that state.
  Exploration run(const Search& search) {
    const auto ended = search_until(std::nullopt, search);
    Exploration result = so_far();
    if (board_[0].stop && !ended.crash.empty()) {
      result.end = Exploration::End::stopped;
      result.was_cut_off = true;
    }
    if (result.end != Exploration::End::violation) return result;
    if (!ended.crash.empty()) search_until(result.transitions, search);
    result.failure = reproduce();
    if (is_cancelled() || (!result.failure && board_[0].stop)) {
      result.failure.reset();
      result.end = Exploration::End::stopped;
      return result;
    }
    if (!result.failure)
      throw std::runtime_error(fmt::format("the search {} at depth {}, and no operation on the store reproduces that",
                                           ended.crash.empty() ? "ended" : ended.crash, result.depth));
    return result;
  }

 private:
  Isolated search_until(std::optional<std::uint64_t> transitions, const Search& search) {
    board_[0].began = Stopwatch::now();
    return isolate([&] { return work(transitions, search); }, [&] { return has_timed_out(); },
                   timeout_text(most_seconds_));
  }

  // In the searching process.
  int work(std::optional<std::uint64_t> transitions, const Search& search) {
    ExploreLimits limits = limits_;
    limits.stop = [&](const Exploration& so_far) {
      report(so_far);
      board_[0].began = Stopwatch::now();
      return transitions ? so_far.transitions == *transitions : board_[0].stop.load();
    };
    const Exploration result = search(scope_, limits);
    report(result);
    std::copy(result.path.begin(), result.path.end(), board_[0].path.begin());
    board_[0].path_length = result.path.size();
    board_[0].end = result.end;
    return 0;
  }

  void report(const Exploration& so_far) {
    board_[0].depth = so_far.depth;
    board_[0].states = so_far.states;
    board_[0].transitions = so_far.transitions;
  }

  // In its parent.

  bool has_timed_out() {
    if (limits_.stop(so_far())) board_[0].stop = true;
    // RemoteSubject has a timeout of its own for a store in another process, whose start may take longer.
    const double usual = subject_.remote() ? std::numeric_limits<double>::infinity() : most_seconds_;
    const double timeout = board_[0].stop ? std::min(most_seconds_, patience_when_stopped) : usual;
    return Stopwatch::now() - board_[0].began > timeout;
  }

  bool is_cancelled() const { return cancel_ && cancel_(); }

  Exploration so_far() {
    return {.end = board_[0].end,
            .depth = board_[0].depth,
            .states = board_[0].states,
            .transitions = board_[0].transitions};
  }

  // Finds the operation of the alphabet on which the store fails, after the path to the current state; or the read
  // after it, if that was executed too.
  std::optional<Failure> reproduce() {
    const auto alphabet = alphabet_of(scope_);
    Case trace;
    for (std::size_t i = 0; i < board_[0].path_length; ++i) trace.steps.push_back(alphabet[board_[0].path[i]]);
    for (const auto& operation : alphabet)
      if (auto failure = failure_of(trace, {operation})) return failure;
    for (const auto& operation : alphabet)
      for (const auto& read : alphabet)
        if (auto failure = is_read_only(read) ? failure_of(trace, {operation, read}) : std::nullopt) return failure;
    return std::nullopt;
  }

  std::optional<Failure> failure_of(Case trace, std::initializer_list<Step> last) {
    trace.steps.insert(trace.steps.end(), last);
    if (is_cancelled()) return std::nullopt;
    auto violation = check_isolated(agrees_unwatched(), trace, subject_, most_seconds_, cancel_);
    if (!violation) return std::nullopt;
    return Failure{&agrees_unwatched(), std::move(trace), std::move(*violation)};
  }

  const Scope& scope_;
  const ExploreLimits& limits_;
  Subject& subject_;
  double most_seconds_;
  const std::function<bool()>& cancel_;
  SharedMemory<SearchBoard> board_{1};
};

}  // namespace

Exploration explore_isolated(const Scope& scope, const ExploreLimits& limits, const Search& search, Subject& subject,
                             double most_seconds, const std::function<bool()>& cancel) {
  return IsolatedSearch(scope, limits, subject, most_seconds, cancel).run(search);
}

}  // namespace mayfly
