#include "mayfly/sim/judge.hpp"

#include <algorithm>

namespace mayfly {

bool Judge::allow(const Operation& operation, const Window& window, const Outcome& answer) {
  assert(!std::holds_alternative<Advance>(operation));
  std::vector<State> next;
  for (const auto& state : states_)
    for (Instant second = std::max(state.clock.now(), window.earliest); second <= window.latest; second += Seconds{1}) {
      State later{Clock(second), state.store};
      if (allows(apply(later.store, later.clock, operation), answer)) add(next, std::move(later));
    }
  states_ = std::move(next);
  return !states_.empty();
}

void Judge::add(std::vector<State>& states, State state) {
  const auto same =
      std::find_if(states.begin(), states.end(), [&](const State& other) { return other.store == state.store; });
  if (same == states.end())
    states.push_back(std::move(state));
  else if (state.clock.now() < same->clock.now())
    same->clock = state.clock;
}

}  // namespace mayfly
