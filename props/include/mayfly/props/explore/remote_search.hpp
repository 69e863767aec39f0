#pragma once

#include "mayfly/props/explore/explore.hpp"

namespace mayfly {

/// Searches a scope, as far as the store has the features for it, on a store in another process. Its state cannot be
/// copied, so each state is reached by a reset and the operations that lead there, once for every operation of the
/// alphabet, all at once. After that operation somebody looks at everything.
///
/// Nor can its state be seen, and it may remember what the reference forgets: that a document was deleted, or read. So
/// up to `unmerged_operations` every sequence is sent. Longer ones are continued only if they are the first to reach a
/// state of the reference, what has expired in it included, or to reach it with such a history of one document or
/// collection: its last `remembered_changes` (created, changed or deleted, with the ttl or default that was said), and
/// how it was asked for since, in this second or before, without a change. That the scope is closed therefore proves
/// less than it does of a store in this process: a store that remembers more may still be wrong after a longer
/// sequence.
///
/// A store that breaks off the conversation ends it as a violation, without a failure but with the path to the state
/// whose turn it was, as `explore_isolated` wants it.
inline constexpr std::size_t unmerged_operations = 3;
inline constexpr std::size_t remembered_changes = 2;
Exploration explore_remote(const Scope& scope, const ExploreLimits& limits, RemoteSubject& subject);

/// The operations of the scope that the store has the features for.
std::vector<Operation> alphabet_of(const Scope& scope, const Features& features);

}  // namespace mayfly
