#pragma once

#include <string>

#include "mayfly/model/rule.hpp"
#include "mayfly/props/minimise.hpp"
#include "mayfly/sim/lockstep.hpp"

// A run told step by step, for people.

namespace mayfly {

/// "X1 X2", or nothing.
std::string ids_of(RuleSet rules);

/// One step, as it is taken: when, what was asked, what both answered (once if they agree), and the rules that decided
/// it.
struct Told {
  std::string text;
  Exchange exchange;
};
Told tell(Lockstep& lockstep, const Operation& operation, const std::string& store);

/// What they show of each document that they do not show alike, a line each. For the step at which they part.
std::string tell_documents(Lockstep& lockstep, const std::string& store);

/// The rules that decide the step at which the failure shows.
RuleSet deciding_rules(const Failure& failure);

/// A failing case from the first step to the one that shows it.
std::string narrate(const Failure& failure, Subject& subject);

}  // namespace mayfly
