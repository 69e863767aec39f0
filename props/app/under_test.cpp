#include "under_test.hpp"

#include "mayfly/props/defects/defective_store.hpp"
#include "mayfly/sim/engine/engine.hpp"

namespace mayfly::app {

std::unique_ptr<Subject> store_under_test(Audit audit) { return std::make_unique<InProcess<Engine>>("engine", audit); }

std::unique_ptr<Subject> canary_store(Defect defect) {
  return std::make_unique<InProcess<DefectiveStore>>("canary", Audit::never, DefectiveStore(defect));
}

Exploration explore_under_test(const Scope& scope, const ExploreLimits& limits) {
  return Explorer<Engine>(scope, limits).run();
}

}  // namespace mayfly::app
