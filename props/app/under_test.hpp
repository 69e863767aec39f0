#pragma once

#include <memory>

#include "mayfly/props/defects/catalogue.hpp"
#include "mayfly/props/explore/explore.hpp"

namespace mayfly::app {

/// The built-in store under test. The program of the tests links a defective one instead.
std::unique_ptr<Subject> store_under_test(Audit audit = Audit::never);

/// A store with this defect. A check is inconclusive unless it finds that first.
std::unique_ptr<Subject> canary_store(Defect defect);

/// Explores the scope on the store under test.
Exploration explore_under_test(const Scope& scope, const ExploreLimits& limits);

}  // namespace mayfly::app
