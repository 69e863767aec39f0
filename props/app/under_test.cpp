#include "under_test.hpp"

#include "mayfly/sim/engine/engine.hpp"

namespace mayfly::app {

std::unique_ptr<Subject> store_under_test(Audit audit) { return std::make_unique<InProcess<Engine>>("engine", audit); }

Exploration explore_under_test(const Scope& scope, const ExploreLimits& limits) {
  return Explorer<Engine>(scope, limits).run();
}

}  // namespace mayfly::app
