#include "mayfly/props/shrink/alike.hpp"

namespace mayfly {

namespace {

constexpr std::size_t fewest_times = 4;
constexpr std::size_t longest_period = 3;

std::size_t times_from(const std::vector<Step>& steps, std::size_t begin, std::size_t period) {
  std::size_t at = begin + period;
  while (at < steps.size() && are_alike(steps[at - period].operation, steps[at].operation)) ++at;
  return (at - begin) / period;
}

Group group_from(const std::vector<Step>& steps, std::size_t begin) {
  Group longest{begin};
  for (std::size_t period = 1; period <= longest_period; ++period) {
    const Group group{begin, period, times_from(steps, begin, period)};
    if (group.times >= fewest_times && group.end() > longest.end()) longest = group;
  }
  return longest;
}

}  // namespace

bool are_alike(const Operation& operation, const Operation& other) {
  if (operation.index() != other.index()) return false;
  bool are_same = true;
  for_each_field_of_both(operation, other, [&](std::string_view name, const auto& field, const auto& same) {
    are_same = are_same && (is_name(name) || field == same);
  });
  return are_same;
}

std::vector<Group> groups_of(const std::vector<Step>& steps) {
  std::vector<Group> groups;
  for (std::size_t at = 0; at < steps.size(); at = groups.back().end()) groups.push_back(group_from(steps, at));
  return groups;
}

}  // namespace mayfly
