#pragma once

#include "mayfly/sim/features.hpp"

namespace mayfly {

/// A base for a store that has neither patches, nor counts, nor a purge and a lazy index that can be driven, nor
/// prices, and does not tell how much it holds: what is left to write is what every store has. Say `features` again to
/// have one of them after all.
struct BasicStore {
  static inline const Features features{
      .batch = true, .patch = false, .purge = false, .lazy = false, .charge = false, .held = false, .count = false};

  Outcome patch(Instant, const DocumentKey&, const Patch&) { return {}; }
  Outcome count(Instant, const std::string&, const std::optional<std::string>&) { return {}; }
  Outcome purge(Instant, Budget) { return {}; }
  Outcome index(Instant, const std::string&, Budget) { return {}; }
  Outcome held(Instant) { return {}; }
};

}  // namespace mayfly
