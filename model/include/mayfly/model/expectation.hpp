#pragma once

#include <utility>

#include "mayfly/model/outcome.hpp"

namespace mayfly {

/// What the rules allow as the answer to one request: mostly a single answer, sometimes a set of them.
struct Expectation {
  Outcome answer;               ///< the fullest allowed answer
  bool may_miss = false;        ///< a query may leave out, and a count not count, any of the documents (I3)
  Budget may_purge = {};        ///< a purge may have deleted up to this many, whatever the answer says (P1, P3)
  std::uint64_t must_hold = 0;  ///< a store may hold as few documents, whatever the answer says (P1, P4)
  std::uint64_t may_hold = 0;   ///< and as many (P1, P5)

  operator Outcome() const& { return answer; }         // NOLINT: a reference store is a store
  operator Outcome() && { return std::move(answer); }  // NOLINT
};

/// Whether a store may answer this. Charges belong to each store alone and are not looked at, but a purge has none
/// (P2).
bool allows(const Expectation& expected, const Outcome& actual);

/// What can be compared of the answers of two stores: documents are in one order, and there is no charge.
Outcome comparable(Outcome outcome);

}  // namespace mayfly
