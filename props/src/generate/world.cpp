#include "mayfly/props/generate/world.hpp"

#include <algorithm>
#include <cassert>

#include "mayfly/sim/random.hpp"

namespace mayfly {

namespace {

// So that a world of which cases are drawn least often still has a weight of many units.
constexpr std::uint32_t finest = 1'000'000;

}  // namespace

std::size_t index_of(const World& world) {
  const World* found = world_named(world.name);
  assert(found);
  return static_cast<std::size_t>(found - all_worlds.data());
}

const World* world_named(std::string_view name) {
  const auto found =
      std::find_if(all_worlds.begin(), all_worlds.end(), [&](const World& world) { return world.name == name; });
  return found == all_worlds.end() ? nullptr : &*found;
}

Worlds::Worlds(std::vector<World> worlds) : worlds_(std::move(worlds)) {
  for (const World& world : worlds_) {
    weights_.push_back(finest * world.share / world.cost);
    total_ += weights_.back();
  }
}

const World& Worlds::of_case(std::uint64_t seed, std::uint64_t number) const {
  if (worlds_.size() == 1) return worlds_.front();
  Random random(~seed, number);  // apart from the stream that makes the case
  auto ticket = random.below(total_);
  std::size_t world = 0;
  while (ticket >= weights_[world]) ticket -= weights_[world++];
  return worlds_[world];
}

Worlds Worlds::up_to(std::size_t longest_case) const {
  Worlds shorter = *this;
  for (World& world : shorter.worlds_) world.longest_case = longest_case;
  return shorter;
}

Worlds Worlds::in_real_time(std::size_t longest_case, std::int64_t longest_step) const {
  std::vector<World> some;
  for (World world : worlds_) {
    if (!world.is_for_real_time) continue;
    world.longest_case = std::min(world.longest_case, longest_case);
    world.longest_step = std::min(world.longest_step, longest_step);
    some.push_back(world);
  }
  return Worlds(std::move(some));
}

}  // namespace mayfly
