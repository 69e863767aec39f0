#include "mayfly/props/property/tally.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace mayfly {

void Tally::count(RuleSet exercised) {
  for (auto bits = exercised.bits(); bits != 0; bits &= bits - 1)
    ++decisive_[static_cast<std::size_t>(std::countr_zero(bits))];
}

void Tally::count(RuleSet exercised, const Operation& operation, const Outcome& actual) {
  count(exercised);
  add_answers(operation.index(), actual.status, 1);
}

void Tally::add_answers(std::size_t kind, Status status, std::uint64_t count) {
  const auto found = std::find(statuses.begin(), statuses.end() - 1, status);  // or the last one
  answers_[kind][static_cast<std::size_t>(found - statuses.begin())] += count;
}

Tally& Tally::operator+=(const Tally& other) {
  for (std::size_t kind = 0; kind < kind_count; ++kind)
    for (std::size_t status = 0; status < statuses.size(); ++status)
      answers_[kind][status] += other.answers_[kind][status];
  for (std::size_t rule = 0; rule < rule_count; ++rule) decisive_[rule] += other.decisive_[rule];
  return *this;
}

std::uint64_t Tally::operations(std::size_t kind) const {
  return std::accumulate(answers_[kind].begin(), answers_[kind].end(), std::uint64_t{0});
}

std::uint64_t Tally::operations() const {
  std::uint64_t sum = 0;
  for (std::size_t kind = 0; kind < kind_count; ++kind) sum += operations(kind);
  return sum;
}

}  // namespace mayfly
