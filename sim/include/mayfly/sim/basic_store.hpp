#pragma once

#include "mayfly/sim/features.hpp"

namespace mayfly {

/// A base class for a store without optional features: no patches, counts, charges or numbers of held documents, and no
/// purge and lazy index that a case can drive. The store implements the remaining requests. To support an optional
/// feature, it declares `features` again.
struct BasicStore {
  static constexpr Features features{
      .batch = true, .patch = false, .purge = false, .lazy = false, .charge = false, .held = false, .count = false};

  Outcome patch(Instant, const DocumentKey&, const Patch&) { return {}; }
  Outcome count(Instant, const std::string&, const std::optional<std::string>&) { return {}; }
  Outcome purge(Instant, Budget) { return {}; }
  Outcome index(Instant, const std::string&, Budget) { return {}; }
  Outcome held(Instant) { return {}; }
};

}  // namespace mayfly
