#pragma once

#include <memory>

#include "mayfly/props/explore.hpp"

namespace mayfly::app {

/// The store that the program puts to the test. The tests link one that has a defect instead.
std::unique_ptr<Subject> store_under_test(Audit audit = Audit::never);

/// A store that has the defect that every check has to find.
std::unique_ptr<Subject> canary_store();

/// Searches the scope on the store under test.
Exploration explore_under_test(const Scope& scope, const ExploreLimits& limits);

}  // namespace mayfly::app
