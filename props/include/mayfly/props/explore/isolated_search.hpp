#pragma once

#include "mayfly/props/explore/explore.hpp"

namespace mayfly {

/// `Explorer(scope, limits).run()` for a store that only the caller knows.
using Search = std::function<Exploration(const Scope& scope, const ExploreLimits& limits)>;

/// How deep a search in a process of its own may go.
inline constexpr std::size_t greatest_depth = 1'000'000;

/// Searches in a process of its own, so that a store that crashes or hangs takes nobody along: that is a violation too,
/// with a trace as short. `limits.stop` is asked in this process, some twenty times a second; a store hangs that has
/// not got through the alphabet after `most_seconds`. Once `cancel` says so nothing is waited for any more, not even
/// the trace of a violation.
///
/// Requires that `subject` has the store that is searched, and that `limits.depth` is at most `greatest_depth`. Throws
/// std::runtime_error if the search dies of something that no operation of the subject repeats.
Exploration explore_isolated(const Scope& scope, const ExploreLimits& limits, const Search& search, Subject& subject,
                             double most_seconds, const std::function<bool()>& cancel = {});

}  // namespace mayfly
