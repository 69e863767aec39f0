#include "mayfly/props/property/failure.hpp"

#include "mayfly/props/property/decisive.hpp"

namespace mayfly {

RuleSet deciding_rules(const Failure& failure) {
  InProcess<ReferenceStore> reference("reference");
  Lockstep lockstep(failure.test_case.start, reference);
  for (std::size_t i = 0; i < failure.violation.step; ++i) lockstep.step(failure.test_case.steps[i]);
  lockstep.reference().settle(lockstep.now());
  return decisive_rules(lockstep.reference(), lockstep.now(), failure.violation.operation);
}

}  // namespace mayfly
