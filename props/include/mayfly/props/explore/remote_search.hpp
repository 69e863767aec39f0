#pragma once

#include "mayfly/props/explore/explore.hpp"

namespace mayfly {

/// Searches a scope, as far as the store has the features for it, on a store in another process. The store's state
/// cannot be copied. So for every operation of the alphabet, each state is reached again by a reset and the operations
/// that lead to it, and after that operation everything is observed. All of these requests are sent at once.
///
/// The store's state is invisible, too, and may contain what the reference forgets: that a document was deleted, or
/// read. So up to `unmerged_operations` every sequence is sent. A longer sequence is continued only if it is the first
/// to reach a state of the reference, expired documents included, or to reach it with a new history of one document or
/// collection. A history is the last `remembered_changes` (created, changed or deleted, with the requested ttl or
/// default), and the kind of the latest request since then that changed nothing, in this second or before. A closed
/// scope therefore proves less than for a store in this process: a store that remembers more may still be wrong after a
/// longer sequence.
///
/// A store that ends or stops answering is reported as a violation without a failure, but with the path to the current
/// state, from which `explore_isolated` reproduces it.
inline constexpr std::size_t unmerged_operations = 3;
inline constexpr std::size_t remembered_changes = 2;
Exploration explore_remote(const Scope& scope, const ExploreLimits& limits, RemoteSubject& subject);

/// The operations of the scope that the store has the features for.
std::vector<Operation> alphabet_of(const Scope& scope, const Features& features);

}  // namespace mayfly
