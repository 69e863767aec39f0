#include "mayfly/props/report/axis.hpp"

#include <algorithm>
#include <set>

namespace mayfly {

namespace {

std::set<Instant> deadlines_of(const Story& story) {
  std::set<Instant> all;
  for (const auto& lane : story.lanes)
    for (const auto& life : lane.lives) {
      if (life.until) all.insert(*life.until);
      all.insert(life.once_due.begin(), life.once_due.end());
    }
  return all;
}

}  // namespace

Axis::Axis(const Story& story) {
  for (std::size_t i = 0; i < story.steps.size(); ++i) columns_.push_back({story.steps[i].now, story.left_out + i});
  if (columns_.empty()) return;
  const auto earlier = [](const Column& a, const Column& b) { return a.at < b.at; };
  const auto steps = columns_;
  for (const Instant deadline : deadlines_of(story)) {
    const Column column{deadline, std::nullopt};
    const bool has_steps = std::binary_search(steps.begin(), steps.end(), column, earlier);
    if (!has_steps && deadline > story.steps.front().now) columns_.push_back(column);
  }
  std::stable_sort(columns_.begin(), columns_.end(), earlier);
}

std::size_t Axis::of_step(std::size_t step) const {
  const auto found =
      std::find_if(columns_.begin(), columns_.end(), [&](const Column& column) { return column.step >= step; });
  return static_cast<std::size_t>(found - columns_.begin());
}

std::size_t Axis::of(Instant second) const {
  const auto found =
      std::find_if(columns_.begin(), columns_.end(), [&](const Column& column) { return column.at >= second; });
  return static_cast<std::size_t>(found - columns_.begin());
}

Axis::Span Axis::of(const Life& life) const {
  const std::size_t from = of_step(life.from_step);
  switch (life.ended) {
    case Life::Ending::open:
      return {from, life.until ? of(*life.until) : columns_.size()};
    case Life::Ending::expired:
      return {from, of(*life.until)};
    default:
      return {from, of_step(life.until_step)};
  }
}

Axis::Span Axis::of(const Lane& lane, const Ghost& ghost) const {
  const std::size_t at = of_step(ghost.step);
  const Life* ended = ghost.kind == Ghost::Kind::shown ? ended_life(lane, ghost.step) : nullptr;
  return {ended ? of(*ended).until : at, at + 1};
}

}  // namespace mayfly
