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

/// Judges the answers of a store by the states that the reference may be in.
///
/// A state is a reference store and the second of its latest request. If the harness moves the clock there is only one
/// state, so `expect` returns in advance which answers the rules allow.
///
/// If the clock is known only roughly, a request takes every state to every second of its window, and the states remain
/// whose answer equals the store's. A conforming store always has a state left. A store loses its last state exactly
/// when its answers fit no sequence of seconds, so an answer is wrong only if no reading of the store's clock explains
/// it. Two states with the same documents have the same future, except that the earlier one can also still see the
/// seconds in between. The earlier state replaces both, which keeps the number of states small.
class Judge {
 public:
  /// Starts with one state: an empty store whose clock stands at `now`.
  explicit Judge(Instant now = {}) : states_{{Clock(now), {}}} {}

  /// Applies the operation to the only state, and returns which answers the rules allow. Requires that there is one
  /// state.
  Expectation expect(const Operation& operation) {
    State& state = only_state();
    return apply(state.store, state.clock, operation);
  }

  /// The store of the only state. Both functions require that there is one state.
  ReferenceStore& reference() { return only_state().store; }
  Instant now() const { return states_.front().clock.now(); }

  /// Whether the store may have given this answer. If not, no state remains, and every further answer is wrong.
  /// Requires that the operation is not an advance, and that no window begins before the previous one.
  bool allow(const Operation& operation, const Window& window, const Outcome& answer);

  /// The number of possible states.
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
