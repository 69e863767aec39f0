#pragma once

#include <concepts>
#include <string_view>

#include "documents.hpp"

namespace mayfly::bench {

/// An expiry structure that can be compared: a small struct over documents that it does not own. Its `Fields` are
/// stored in each document and count as its memory. Time never goes back from one call to the next.
///
///   write        creates the document or writes it again: `_ts` becomes now
///   erase        requires that the document is stored
///   set_default  applies at once to all documents that inherit; requires that nothing is expired
///   expire       removes expired documents and passes them to `f`; stops when the budget is used up. Returns whether
///                all were removed. A unit is an expired document or, if the structure so chooses, a visited one.
///   next         a second at or before the next expiry, when a purger must wake; later than now after a full purge
// clang-format off
template <class S>
concept Structure = requires(S structure, Documents<typename S::Fields>& documents, Slot slot, Instant now,
                             TtlNumber ttl, Seconds seconds, Budget budget, void (*f)(Slot)) {
  S(documents);
  { S::name } -> std::convertible_to<std::string_view>;
  structure.write(slot, now, ttl);
  structure.erase(slot);
  structure.set_default(now, seconds);
  { structure.expire(now, budget, f) } -> std::same_as<bool>;
  { structure.next() } -> std::same_as<Instant>;
};
// clang-format on

}  // namespace mayfly::bench
