#pragma once

#include "mayfly/model/rule.hpp"
#include "mayfly/props/property/property.hpp"

namespace mayfly {

/// A property, a case that breaks it, and the violation.
struct Failure {
  const Property* property = nullptr;
  Case test_case;
  Violation violation;
};

/// The rules that decide the step at which the failure shows.
RuleSet deciding_rules(const Failure& failure);

}  // namespace mayfly
