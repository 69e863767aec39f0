#include "mayfly/props/explore/visited.hpp"

#include <algorithm>
#include <cassert>

namespace mayfly {

bool VisitedStates::add(std::string_view state, Id parent, Step step) {
  if (ids_.find(state) != ids_.end()) return false;
  assert(states_.size() < UINT32_MAX);
  states_.push_back({keep(state), parent, step});
  ids_.insert(static_cast<Id>(states_.size() - 1));
  return true;
}

std::string_view VisitedStates::keep(std::string_view state) {
  assert(state.size() <= block_size);
  if (used_ + state.size() > block_size) {
    blocks_.push_back(std::make_unique<char[]>(block_size));
    used_ = 0;
  }
  char* const place = blocks_.back().get() + used_;
  std::copy(state.begin(), state.end(), place);
  used_ += state.size();
  return {place, state.size()};
}

std::vector<VisitedStates::Step> VisitedStates::path_to(Id id) const {
  std::vector<Step> path;
  for (; id != 0; id = states_[id].parent) path.push_back(states_[id].step);
  std::reverse(path.begin(), path.end());
  return path;
}

std::size_t VisitedStates::memory() const {
  // While it grows, the table of ids holds the old table and one of twice its size.
  const std::size_t table = 3 * ids_.bucket_count() * (sizeof(Id) + 1);
  return blocks_.size() * block_size + states_.size() * sizeof(State) + table;
}

}  // namespace mayfly
