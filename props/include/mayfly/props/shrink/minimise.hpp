#pragma once

#include <cstddef>
#include <functional>
#include <limits>

#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/property/runner.hpp"

namespace mayfly {

struct Minimised {
  Failure failure;
  std::size_t runs = 0;     ///< number of cases that were run
  bool is_minimal = false;  ///< no simpler candidate fails; otherwise shrinking was stopped before that was known
};

/// Makes a failing case as simple as possible. Cuts it after the failing step, removes halves, quarters and so on, and
/// then applies the passes of passes.hpp until none of them helps, or `stop` returns true, or the runs are used up.
///
/// The result is meant to depend on the defect and not on the case that showed it. It does not depend on whether the
/// runner asks questions one by one or in parallel.
///
/// If only an observation showed the failure, the observation becomes an operation of the case, if it shows the failure
/// there too.
Minimised minimise(Failure failure, const Runner& runner, const std::function<bool()>& stop,
                   std::size_t most_runs = std::numeric_limits<std::size_t>::max());
Minimised minimise(Failure failure, Subject& subject, const std::function<bool()>& stop);

}  // namespace mayfly
