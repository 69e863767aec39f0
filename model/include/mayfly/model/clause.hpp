#pragma once

#include <span>
#include <string_view>

#include "mayfly/model/rule.hpp"

namespace mayfly {

/// What a rule says, one case of it: a row of RULES.md below the rule's own, which is the only place where it is
/// written.
struct Clause {
  std::string_view id;  ///< "X2.query"
  Rule rule = Rule::T1;
  Level level = Level::stated;  ///< its own: a stated rule may have decided clauses
  std::string_view sentence;    ///< all of the row
  bool is_observable = true;    ///< otherwise the sentence says why no request can show it to be broken
};

/// RULES.md, as it was when the program was built.
std::span<const std::string_view> rules_page_names();
std::span<const std::string_view> rules_page_texts();

/// Every clause of RULES.md in its order, read on the first call.
std::span<const Clause> all_clauses();

/// Nothing if there is none of that id.
const Clause* clause_named(std::string_view id);

/// The rule of the clause with that id. Requires that it begins with the id of a rule.
Rule rule_of_clause(std::string_view id);

}  // namespace mayfly
