#include "mayfly/sim/possible_worlds.hpp"

#include <algorithm>
#include <cassert>

#include "mayfly/sim/apply.hpp"

namespace mayfly {

bool PossibleWorlds::allow(const Operation& operation, const Window& window, const Outcome& answer) {
  assert(!std::holds_alternative<Advance>(operation));
  std::vector<World> next;
  for (const auto& world : worlds_)
    for (Instant second = std::max(world.now, window.earliest); second <= window.latest; second += Seconds{1}) {
      World later{second, world.store};
      Clock clock(second);
      if (allows(apply(later.store, clock, operation), answer)) add(next, std::move(later));
    }
  worlds_ = std::move(next);
  return !worlds_.empty();
}

void PossibleWorlds::add(std::vector<World>& worlds, World world) {
  const auto same =
      std::find_if(worlds.begin(), worlds.end(), [&](const World& other) { return other.store == world.store; });
  if (same == worlds.end())
    worlds.push_back(std::move(world));
  else
    same->now = std::min(same->now, world.now);
}

}  // namespace mayfly
