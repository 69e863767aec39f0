#pragma once

#include <memory>

#include "mayfly/props/explore.hpp"

namespace mayfly::app {

/// The store that the program puts to the test. The tests link one that has a defect instead.
std::unique_ptr<Subject> store_under_test(Audit audit = Audit::never);

/// Searches the scope on that store.
Exploration explore_under_test(const Scope& scope, const ExploreLimits& limits);

}  // namespace mayfly::app
