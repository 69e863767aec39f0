#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "mayfly/model/rule.hpp"
#include "mayfly/props/generate/generate.hpp"
#include "mayfly/sim/basic_store.hpp"
#include "mayfly/sim/subject.hpp"

// `mayfly check` as a function, for a test of a class under any test framework.

namespace mayfly {

struct VerifyOptions {
  std::uint64_t seed = 0;  ///< the same seed has the same cases
  std::uint64_t cases = 10'000;
  std::size_t longest_case = World{}.longest_case;  ///< operations
  /// Whether cases run in processes of their own, so that a store that crashes or hangs fails like any other. Requires
  /// that this process has one thread. Otherwise they run here, where a debugger sees them.
  bool isolated = true;
  unsigned jobs = 1;         ///< how many such processes
  double case_seconds = 10;  ///< in such a process, a case that takes longer hangs
  std::string corpus;        ///< a folder: its traces are replayed first, and a new shortest case is saved there
};

struct Verified {
  bool held = false;
  std::string text;      ///< how much held; or what was broken in a sentence, as a timeline and step by step
  std::string trace;     ///< the shortest case that shows it, as `replay` takes it; nothing if it held
  std::string property;  ///< what was broken, as a sentence; nothing if it held
  RuleSet rules;         ///< that decide the step at which it shows
};

/// Throws InputError if the corpus cannot be used.
Verified verify(Subject& subject, const VerifyOptions& options);

/// Checks every property on each case of a trace, in this process, where a debugger can stop. Throws InputError if the
/// text is no trace.
Verified replay(Subject& subject, const std::string& trace);

/// A case begins with a copy of `empty`. If the store has `check_invariants`, that is called after every operation.
template <Store S>
Verified verify(const VerifyOptions& options = {}, S empty = {}) {
  InProcess<S> subject("store", Audit::every_operation, std::move(empty));
  return verify(subject, options);
}

template <Store S>
Verified replay(const std::string& trace, S empty = {}) {
  InProcess<S> subject("store", Audit::every_operation, std::move(empty));
  return replay(subject, trace);
}

}  // namespace mayfly
