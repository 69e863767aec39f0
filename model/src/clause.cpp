#include "mayfly/model/clause.hpp"

#include <algorithm>
#include <cassert>
#include <vector>

namespace mayfly {

namespace {

/// Removes the text up to and including the separator, and returns it without the separator.
std::string_view take(std::string_view& text, std::string_view separator) {
  const std::string_view taken = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), taken.size() + separator.size()));
  return taken;
}

/// Whether the line is the row of a clause: "| X2.query | S | Queries leave it out. |".
bool is_clause(std::string_view line) {
  line.remove_prefix(std::min<std::size_t>(line.size(), 2));
  const std::string_view id = take(line, " | ");
  return rule_named(id.substr(0, id.find('.'))) && id.find('.') != std::string_view::npos;
}

/// Parses the row of a clause.
Clause clause_in(std::string_view line) {
  take(line, "| ");
  const std::string_view id = take(line, " | ");
  const std::string_view level = take(line, " | ");
  const std::string_view sentence = take(line, " |");
  assert(level == "S" || level == "D");
  return {.id = id,
          .rule = rule_of_clause(id),
          .level = level == "S" ? Level::stated : Level::decided,
          .sentence = sentence,
          .is_observable = sentence.find("Unobservable: ") == std::string_view::npos};
}

std::vector<Clause> read_clauses(std::string_view page) {
  std::vector<Clause> clauses;
  while (!page.empty()) {
    const std::string_view line = take(page, "\n");
    if (is_clause(line)) clauses.push_back(clause_in(line));
  }
  return clauses;
}

}  // namespace

std::span<const Clause> all_clauses() {
  static const std::vector<Clause> clauses = read_clauses(rules_page_texts().front());
  return clauses;
}

const Clause* clause_named(std::string_view id) {
  const auto clauses = all_clauses();
  const auto found =
      std::find_if(clauses.begin(), clauses.end(), [&](const Clause& clause) { return clause.id == id; });
  return found == clauses.end() ? nullptr : &*found;
}

Rule rule_of_clause(std::string_view id) {
  const auto rule = rule_named(id.substr(0, id.find('.')));
  assert(rule);
  return *rule;
}

}  // namespace mayfly
