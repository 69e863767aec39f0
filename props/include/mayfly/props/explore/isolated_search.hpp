#pragma once

#include "mayfly/props/explore/explore.hpp"

namespace mayfly {

/// Calls `Explorer(scope, limits).run()` for a store type that only the caller knows.
using Search = std::function<Exploration(const Scope& scope, const ExploreLimits& limits)>;

/// The greatest depth of a search in a child process.
inline constexpr std::size_t greatest_depth = 1'000'000;

/// Searches in a child process, so that a store that crashes or hangs does not affect this one: that is a violation
/// too, with a trace as short. `limits.stop` is called in this process, about twenty times a second. A store that has
/// not answered the whole alphabet within `most_seconds` has hung. Once `cancel` returns true, the search waits for
/// nothing more, not even the trace of a violation.
///
/// Requires that `subject` runs the store that is searched, and that `limits.depth` is at most `greatest_depth`. Throws
/// std::runtime_error if the search dies of an error that no operation on the subject reproduces.
Exploration explore_isolated(const Scope& scope, const ExploreLimits& limits, const Search& search, Subject& subject,
                             double most_seconds, const std::function<bool()>& cancel = {});

}  // namespace mayfly
