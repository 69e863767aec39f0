#include "mayfly/props/tally.hpp"

#include <bit>

namespace mayfly {

void Tally::before(ReferenceStore& reference, Instant now, const Operation& operation) {
  reference.settle(now);
  for (auto bits = decisive_rules(reference, now, operation).bits(); bits != 0; bits &= bits - 1)
    ++decisive_[static_cast<std::size_t>(std::countr_zero(bits))];
}

std::uint64_t Tally::operations(std::size_t kind) const {
  std::uint64_t sum = 0;
  for (const auto& [status, count] : answers_[kind]) sum += count;
  return sum;
}

std::uint64_t Tally::operations() const {
  std::uint64_t sum = 0;
  for (std::size_t kind = 0; kind < kind_count; ++kind) sum += operations(kind);
  return sum;
}

}  // namespace mayfly
