#pragma once

#include "mayfly/props/explore.hpp"

namespace mayfly {

/// Searches a scope, as far as the store has the features for it, on a store in another process. Its state cannot be
/// copied, so each state is reached by a reset and the operations that lead there, once for every operation of the
/// alphabet, all at once. After that operation somebody looks at everything.
///
/// Nor can its state be seen: states are merged that the reference cannot tell apart, what has expired in it included.
/// That the scope is closed then proves less than it does of a store in this process: a store that remembers more may
/// still be wrong after a longer sequence.
///
/// A store that breaks off the conversation ends it as a violation, without a failure but with the path to the state
/// whose turn it was, as `explore_isolated` wants it.
Exploration explore_remote(const Scope& scope, const ExploreLimits& limits, RemoteSubject& subject);

/// The operations of the scope that the store has the features for.
std::vector<Operation> alphabet_of(const Scope& scope, const Features& features);

}  // namespace mayfly
