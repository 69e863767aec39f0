#pragma once

#include <span>
#include <string_view>

#include "mayfly/model/rule.hpp"

namespace mayfly {

/// One case of a rule: a row of RULES.md below the row of the rule itself. The sentence is written nowhere else.
struct Clause {
  std::string_view id;  ///< "X2.query"
  Rule rule = Rule::T1;
  Level level = Level::stated;  ///< of the clause itself: a stated rule may have decided clauses
  std::string_view sentence;    ///< the whole text of the row
  bool is_observable = true;    ///< if false, the sentence says why no request can show a violation
};

/// The pages of rules, RULES.md, as they were when the program was built: names and texts in the same order.
std::span<const std::string_view> rules_page_names();
std::span<const std::string_view> rules_page_texts();

/// Every clause of RULES.md, in its order. The first call parses it.
std::span<const Clause> all_clauses();

/// Null if no clause has that id.
const Clause* clause_named(std::string_view id);

/// The rule of the clause with that id. Requires that the id begins with that of a rule.
Rule rule_of_clause(std::string_view id);

}  // namespace mayfly
