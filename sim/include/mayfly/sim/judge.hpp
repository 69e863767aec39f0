#pragma once

#include <cassert>
#include <cstddef>
#include <vector>

#include "mayfly/model/reference.hpp"
#include "mayfly/sim/apply.hpp"

namespace mayfly {

/// The seconds of a store's clock in which a request may have been served, both included.
struct Window {
  Instant earliest;
  Instant latest;
};

/// Judges the answers of a store by the states that the reference may be in by now.
///
/// A state is a reference store and the second in which it was asked last. Where the harness moves the clock there is
/// only one: what the rules allow as the next answer is then known beforehand, by `expect`.
///
/// Where the clock is known only roughly, a request takes every state to every second of its window, and those stay
/// whose answer is the store's. So a store is judged by what no reading of its clock excuses, and by nothing else: one
/// that conforms always has a state, and one that does not loses the last as soon as its answers fit no sequence of
/// seconds. Two states with the same documents have the same future, but for the seconds that only the earlier one can
/// still see: it stands for both, which keeps them few.
class Judge {
 public:
  /// One state: an empty store whose clock stands at `now`.
  explicit Judge(Instant now = {}) : states_{{Clock(now), {}}} {}

  /// Carries out the operation in the only state, and returns what the rules allow as its answer. Requires that there
  /// is one state.
  Expectation expect(const Operation& operation) {
    State& state = only_state();
    return apply(state.store, state.clock, operation);
  }

  /// The only state. Requires that there is one, as the next does.
  ReferenceStore& reference() { return only_state().store; }
  Instant now() const { return states_.front().clock.now(); }

  /// Whether the store may have answered this. If not there is no state any more, and every further answer is wrong.
  /// Requires that the operation is no advance, and that no window begins before the one before it.
  bool allow(const Operation& operation, const Window& window, const Outcome& answer);

  /// How many states are possible.
  std::size_t size() const { return states_.size(); }

 private:
  struct State {
    Clock clock;
    ReferenceStore store;
  };

  State& only_state() {
    assert(states_.size() == 1);
    return states_.front();
  }
  static void add(std::vector<State>& states, State state);

  std::vector<State> states_;
};

}  // namespace mayfly
