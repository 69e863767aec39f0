#pragma once

#include <utility>

#include "mayfly/model/outcome.hpp"

namespace mayfly {

/// The answers that the rules allow to one request: mostly a single answer, sometimes a set.
struct Expectation {
  Outcome answer;               ///< the fullest allowed answer
  bool may_miss = false;        ///< a query may omit, and a count may leave out, any of the documents (I3)
  Budget may_purge = {};        ///< a purge may have deleted up to this many, whatever the answer says (P1, P3)
  std::uint64_t must_hold = 0;  ///< the fewest documents that a store may hold, whatever the answer says (P1, P4)
  std::uint64_t may_hold = 0;   ///< the most (P1, P5)

  operator Outcome() const& { return answer; }         // NOLINT: a reference store is a store
  operator Outcome() && { return std::move(answer); }  // NOLINT
};

/// Whether the rules allow this answer of a store. Ignores charges, which are each store's own, except that a purge
/// must not have one (P2).
bool allows(const Expectation& expected, const Outcome& actual);

/// The comparable part of an answer: its documents sorted, its charge removed.
Outcome comparable(Outcome outcome);

}  // namespace mayfly
