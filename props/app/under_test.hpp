#pragma once

#include <memory>

#include "mayfly/props/defects/catalogue.hpp"
#include "mayfly/props/explore/explore.hpp"

namespace mayfly::app {

/// The store that the program puts to the test. The tests link one that has a defect instead.
std::unique_ptr<Subject> store_under_test(Audit audit = Audit::never);

/// A store with this defect, which a check has to find before its verdict means anything.
std::unique_ptr<Subject> canary_store(Defect defect);

/// Searches the scope on the store under test.
Exploration explore_under_test(const Scope& scope, const ExploreLimits& limits);

}  // namespace mayfly::app
