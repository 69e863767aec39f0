#include "pass_list.hpp"

#include <algorithm>
#include <array>

namespace mayfly {

namespace {

// Fewer are simplified one by one.
constexpr std::size_t many_operations = 16;
constexpr std::size_t few_alike = 4;

Spot spot_of(const Group& group, std::size_t within, Range blocks) {
  Spot spot;
  for (std::size_t block = blocks.begin; block < blocks.end; ++block)
    spot.push_back(group.begin + within + block * group.period);
  return spot;
}

}  // namespace

std::vector<Range> runs_of(std::size_t count, std::size_t most) {
  std::vector<Range> runs;
  for (std::size_t run = count; run > 0 && count / run <= most; run /= 2)
    for (std::size_t end = count; end > 0; end -= std::min(end, run)) runs.push_back({end - std::min(end, run), end});
  return runs;
}

std::vector<Range> parts_of(std::size_t count) {
  std::vector<Range> parts{{0, count}};
  for (std::size_t part = count / 2; part > 0; part /= 2) {
    parts.push_back({count - part, count});
    parts.push_back({0, part});
    if (count > 2 * part) parts.push_back({(count - part) / 2, (count - part) / 2 + part});
  }
  return parts;
}

std::vector<std::size_t> representative_steps(const Case& test_case) {
  std::vector<std::size_t> representatives;
  for (const Group& group : groups_of(test_case.steps))
    for (std::size_t at = group.begin; at < group.end(); ++at)
      if (at < group.begin + group.period || at >= group.end() - group.period) representatives.push_back(at);
  return representatives;
}

std::vector<Spot> spots_of(const Case& test_case) {
  std::vector<Spot> spots;
  const auto groups = groups_of(test_case.steps);
  if (groups.size() > most_groups) return spots;
  for (const Group& group : groups)
    for (std::size_t within = 0; within < group.period; ++within)
      for (const Range blocks : parts_of(group.times)) spots.push_back(spot_of(group, within, blocks));
  return spots;
}

std::vector<Spot> wide_spots_of(const Case& test_case) {
  std::vector<Spot> spots;
  if (test_case.steps.size() <= many_operations) return spots;
  std::array<Spot, std::variant_size_v<Operation>> kinds;
  for (std::size_t at = 0; at < test_case.steps.size(); ++at)
    kinds.at(test_case.steps[at].operation.index()).push_back(at);
  for (const Spot& all : kinds) {
    if (all.size() < few_alike) continue;
    for (const auto& [begin, end] : runs_of(all.size(), 4))
      spots.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(begin),
                         all.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return spots;
}

}  // namespace mayfly
