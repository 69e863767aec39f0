#pragma once

#include <cstddef>
#include <functional>
#include <limits>

#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/property/runner.hpp"

namespace mayfly {

struct Minimised {
  Failure failure;
  std::size_t runs = 0;     ///< how many cases were tried
  bool is_minimal = false;  ///< no simplification of it fails any more; otherwise `stop` said so first
};

/// Makes a failing case as simple as it gets: first cut after the step that failed, then halved and halved again, then
/// through every pass of passes.hpp until none of them helps any more, or `stop` says so, or the runs are used up.
///
/// The result is meant to depend on the defect and not on the case that showed it, and does not depend on whether the
/// runner asks one question after the other or many side by side.
///
/// Where only observing everything showed the difference, that observation becomes an operation of the case if that is
/// enough to see it: then the case shows all there is to see.
Minimised minimise(Failure failure, const Runner& runner, const std::function<bool()>& stop,
                   std::size_t most_runs = std::numeric_limits<std::size_t>::max());
Minimised minimise(Failure failure, Subject& subject, const std::function<bool()>& stop);

}  // namespace mayfly
