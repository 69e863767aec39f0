#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>

#include "checks.hpp"
#include "mayfly/props/conformance/conformance.hpp"
#include "mayfly/props/property/failure.hpp"

// Which rules may be broken where no planted defect explains a failure.
//
// The step at which a failure shows is mostly not the one that caused it: a countdown that a change of the default
// restarted shows at a read, seconds later. So every step of the minimal case is suspected that the failure takes, with
// every rule that decides it. What is left out is only what the rules themselves rule out: a wrong answer with the
// right status breaks no rule about statuses, and one that is not about charges no rule about charges.

namespace mayfly::conformance {

/// The documents of an answer, without their content.
std::set<std::pair<std::string, std::string>> identities_in(const Outcome& outcome);

/// The steps of the case without which it holds, each with the rules that decide it; of agreement, the request at which
/// it shows comes last. `holds_without` is asked of every other step.
std::vector<CandidateStep> candidate_steps(const Failure& failure,
                                           const std::function<bool(std::size_t step)>& holds_without);

/// The rules by which the request had to be rejected for what it says, if the store accepted it: of a ttl while TTL is
/// off T3 and T4, otherwise one. Nothing if it did not, and of laws.
RuleSet broken_by_accepting(const Failure& failure);

/// The rules of which one must be broken: those of the steps, as far as they can be, and those that what differs speaks
/// of. Only one where the answer leaves no doubt.
RuleSet candidates_of(const Failure& failure, const std::vector<CandidateStep>& steps, const Features& features);

/// What is asked of a store that keeps the rules to see whether the property holds of the case.
std::vector<Case> runs_of(const Property& property, const Case& test_case, const Features& features);

/// What a failure takes, whichever documents and numbers are in it: the kinds of operation, without those that only
/// look. Failures of one shape are taken for one defect.
struct FailureShape {
  const Property* law = nullptr;  ///< of agreement, watched or not, nothing
  std::vector<std::size_t> kinds;
  bool operator==(const FailureShape&) const = default;
};
FailureShape shape_of(const Failure& failure);

}  // namespace mayfly::conformance
