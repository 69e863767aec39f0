#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "mayfly/model/rule.hpp"
#include "mayfly/props/generate/generate.hpp"
#include "mayfly/sim/basic_store.hpp"
#include "mayfly/sim/subject.hpp"

// Checks a store in a test of one's own, under whatever test framework, as `mayfly check` does it.

namespace mayfly {

struct VerifyOptions {
  std::uint64_t seed = 0;  ///< the same seed has the same cases
  std::uint64_t cases = 10'000;
  std::optional<std::size_t> longest_case;  ///< operations (default: as it is usual in the world of a case)
  /// Whether cases run in processes of their own, so that a store that crashes or hangs fails like any other. Requires
  /// that this process has one thread. Otherwise they run here, where a debugger sees them.
  bool isolated = true;
  unsigned jobs = 1;         ///< how many such processes
  double case_seconds = 10;  ///< in such a process, a case that takes longer hangs
};

struct Verified {
  bool held = false;
  std::string text;      ///< in words: how much held, or what was broken and the shortest case that shows it
  std::string trace;     ///< that case, as `mayfly replay` takes it; nothing if it held
  std::string property;  ///< what was broken, as a sentence; nothing if it held
  RuleSet rules;         ///< that decide the step at which it shows
};

Verified verify(Subject& subject, const VerifyOptions& options);

/// A case begins with a copy of `empty`. If the store has `check_invariants`, that is called after every operation.
template <Store S>
Verified verify(const VerifyOptions& options = {}, S empty = {}) {
  InProcess<S> subject("store", Audit::every_operation, std::move(empty));
  return verify(subject, options);
}

}  // namespace mayfly
