#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "mayfly/model/rule.hpp"
#include "mayfly/props/generate/generate.hpp"
#include "mayfly/sim/basic_store.hpp"
#include "mayfly/sim/subject.hpp"

// Checks a store within a user's own test, under any test framework, as `mayfly check` does.

namespace mayfly {

struct VerifyOptions {
  std::uint64_t seed = 0;  ///< the same seed gives the same cases
  std::uint64_t cases = 10'000;
  std::size_t longest_case = World{}.longest_case;  ///< operations
  /// Whether cases run in child processes, so that a store that crashes or hangs is reported like any other failure.
  /// Requires that this process has one thread. Otherwise cases run in this process, where a debugger can follow them.
  bool isolated = true;
  unsigned jobs = 1;         ///< number of child processes
  double case_seconds = 10;  ///< timeout of a case in a child process
  std::string corpus;        ///< folder whose traces are replayed first; a new shortest case is saved there
};

struct Verified {
  bool held = false;
  std::string text;      ///< how many cases held; or what was broken, in a sentence, as a timeline and step by step
  std::string trace;     ///< the shortest case, for `replay`; empty if all held
  std::string property;  ///< the sentence of the broken property; empty if all held
  RuleSet rules;         ///< the rules that decide the step at which the failure shows
};

/// Throws InputError if the corpus cannot be used.
Verified verify(Subject& subject, const VerifyOptions& options);

/// Checks every property on each case of a trace, in this process, where a debugger can stop. Throws InputError if the
/// text is no trace.
Verified replay(Subject& subject, const std::string& trace);

/// Each case begins with a copy of `empty`. If the store has `check_invariants`, it is called after every operation.
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
