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

/// What the searching process tells the other one, and is told.
struct SearchBoard {
  std::atomic<bool> stop{false};
  std::atomic<double> began{0};  ///< when the state had its turn
  std::atomic<std::size_t> depth{0};
  std::atomic<std::size_t> states{0};
  std::atomic<std::uint64_t> transitions{0};
  Exploration::End end = Exploration::End::violation;  ///< unless it lives to tell
  std::size_t path_length = 0;
  std::array<VisitedStates::Step, greatest_depth> path;  ///< to the state at which it ended
};

class IsolatedSearch {
 public:
  IsolatedSearch(const Scope& scope, const ExploreLimits& limits, Subject& subject, double most_seconds,
                 const std::function<bool()>& cancel)
      : scope_(scope), limits_(limits), subject_(subject), most_seconds_(most_seconds), cancel_(cancel) {
    assert(limits.depth <= greatest_depth);
  }

  // A process that died took the path to the state along. A second one, which takes the same course, stops there, and
  // nowhere else.
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
      throw std::runtime_error(fmt::format("the search {} at depth {}, and no operation of the store repeats that",
                                           ended.crash.empty() ? "ended" : ended.crash, result.depth));
    return result;
  }

 private:
  Isolated search_until(std::optional<std::uint64_t> transitions, const Search& search) {
    board_[0].began = Stopwatch::now();
    return isolate([&] { return work(transitions, search); }, [&] { return hangs(); }, timeout_text(most_seconds_));
  }

  // In the process that searches.
  int work(std::optional<std::uint64_t> transitions, const Search& search) {
    ExploreLimits limits = limits_;
    limits.stop = [&](const Exploration& so_far) {
      tell(so_far);
      board_[0].began = Stopwatch::now();
      return transitions ? so_far.transitions == *transitions : board_[0].stop.load();
    };
    const Exploration result = search(scope_, limits);
    tell(result);
    std::copy(result.path.begin(), result.path.end(), board_[0].path.begin());
    board_[0].path_length = result.path.size();
    board_[0].end = result.end;
    return 0;
  }

  void tell(const Exploration& so_far) {
    board_[0].depth = so_far.depth;
    board_[0].states = so_far.states;
    board_[0].transitions = so_far.transitions;
  }

  // In the other one.

  bool hangs() {
    if (limits_.stop(so_far())) board_[0].stop = true;
    // A store in another process is watched there, and may take longer to start.
    const double usual = subject_.remote() ? std::numeric_limits<double>::infinity() : most_seconds_;
    const double patience = board_[0].stop ? std::min(most_seconds_, patience_when_stopped) : usual;
    return Stopwatch::now() - board_[0].began > patience;
  }

  bool is_cancelled() const { return cancel_ && cancel_(); }

  Exploration so_far() {
    return {.end = board_[0].end,
            .depth = board_[0].depth,
            .states = board_[0].states,
            .transitions = board_[0].transitions};
  }

  // The operation of the alphabet that the store fails on, after the path to the state whose turn it was; or the look
  // after it, if that was taken too.
  std::optional<Failure> reproduce() {
    const auto alphabet = alphabet_of(scope_);
    Case trace;
    for (std::size_t i = 0; i < board_[0].path_length; ++i) trace.steps.push_back(alphabet[board_[0].path[i]]);
    for (const auto& operation : alphabet)
      if (auto failure = failure_of(trace, {operation})) return failure;
    for (const auto& operation : alphabet)
      for (const auto& look : alphabet)
        if (auto failure = is_read_only(look) ? failure_of(trace, {operation, look}) : std::nullopt) return failure;
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
