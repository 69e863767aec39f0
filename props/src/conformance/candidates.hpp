#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>

#include "checks.hpp"
#include "mayfly/props/conformance/conformance.hpp"
#include "mayfly/props/property/failure.hpp"

// The rules that may be broken if no planted defect explains a failure.
//
// The step at which a failure shows is mostly not the one that caused it: a countdown that a change of the default
// restarted shows at a read, seconds later. So every step of the minimal case that the failure needs is a suspect, with
// every rule that decides it. Only rules that cannot be the cause are left out: a wrong answer with the right status
// breaks no rule about statuses, and a difference other than a charge no rule about charges.

namespace mayfly::conformance {

/// The documents of an answer, without their content.
std::set<std::pair<std::string, std::string>> identities_in(const Outcome& outcome);

/// The steps of the case without which it holds, each with the rules that decide it. For agreement, the last step is
/// the request at which the failure shows. `holds_without` is called for every other step.
std::vector<CandidateStep> candidate_steps(const Failure& failure,
                                           const std::function<bool(std::size_t step)>& holds_without);

/// If the store accepted an invalid request: the rules by which it had to reject it, which are T3 and T4 for a ttl
/// while TTL is off, otherwise one. Empty if it did not, and for laws.
RuleSet broken_by_accepting(const Failure& failure);

/// The rules of which one must be broken: those of the steps that can be the cause, and those that the difference
/// points to. Only one if the answer leaves no doubt.
RuleSet candidates_of(const Failure& failure, const std::vector<CandidateStep>& steps, const Features& features);

/// The cases that the property runs on a conforming store to check this case.
std::vector<Case> runs_of(const Property& property, const Case& test_case, const Features& features);

/// The kinds of operation that a failure needs, without reads and queries, and independent of documents and numbers.
/// Failures with equal signatures are attributed to one defect.
struct FailureSignature {
  const Property* law = nullptr;  ///< null for agreement, with or without observation
  std::vector<std::size_t> kinds;
  bool operator==(const FailureSignature&) const = default;
};
FailureSignature signature_of(const Failure& failure);

}  // namespace mayfly::conformance
