#include "mayfly/sim/engine/slot_runs.hpp"

#include <algorithm>
#include <cassert>

namespace mayfly::engine {

std::size_t SlotRuns::run_of(SlotId slot) const {
  const auto next = std::upper_bound(rest_.begin(), rest_.end(), slot,
                                     [](SlotId wanted, const FurtherRun& run) { return wanted < run.first; });
  return static_cast<std::size_t>(next - rest_.begin());
}

void SlotRuns::insert(SlotId slot) {
  const std::size_t number = run_of(slot);
  Run& in = run(number);
  if (in.size() >= longest() && number == rest_.size() && slot > in.back()) {  // slots are mostly given out in order
    FurtherRun& last = rest_.emplace_back();
    last.first = slot;
    last.slots.push_back(slot);
    return;
  }
  in.insert(std::lower_bound(in.begin(), in.end(), slot), slot);
  if (in.size() > longest()) split(number);
}

void SlotRuns::split(std::size_t number) {
  FurtherRun& upper = *rest_.emplace(rest_.begin() + static_cast<std::ptrdiff_t>(number));
  Run& lower = run(number);
  const auto middle = lower.begin() + static_cast<std::ptrdiff_t>(lower.size() / 2);
  upper.first = *middle;
  upper.slots.assign(middle, lower.end());
  lower.erase(middle, lower.end());
}

void SlotRuns::erase(SlotId slot) {
  const std::size_t number = run_of(slot);
  Run& in = run(number);
  const auto place = std::lower_bound(in.begin(), in.end(), slot);
  assert(place != in.end() && *place == slot);
  in.erase(place);
  if (in.empty() && number > 0) rest_.erase(rest_.begin() + static_cast<std::ptrdiff_t>(number - 1));
}

std::span<const SlotId> SlotRuns::from(SlotId slot) const {
  const std::size_t number = run_of(slot);
  const Run& in = run(number);
  const auto* const place = std::lower_bound(in.data(), in.data() + in.size(), slot);
  if (place != in.data() + in.size()) return {place, in.data() + in.size()};
  if (number == rest_.size()) return {};
  const Run& next = rest_[number].slots;
  return {next.data(), next.size()};
}

std::size_t SlotRuns::size() const {
  std::size_t size = first_.size();
  for (const FurtherRun& further : rest_) size += further.slots.size();
  return size;
}

}  // namespace mayfly::engine
