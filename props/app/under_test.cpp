#include "under_test.hpp"

#include "mayfly/sim/engine/engine.hpp"

namespace mayfly::app {

std::unique_ptr<Subject> store_under_test() { return std::make_unique<InProcess<Engine>>("engine"); }

}  // namespace mayfly::app
