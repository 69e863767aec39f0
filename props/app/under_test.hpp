#pragma once

#include <memory>

#include "mayfly/sim/subject.hpp"

namespace mayfly::app {

/// The store that the program puts to the test. The tests link one that has a defect instead.
std::unique_ptr<Subject> store_under_test();

}  // namespace mayfly::app
