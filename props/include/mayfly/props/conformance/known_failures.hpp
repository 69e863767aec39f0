#pragma once

#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/props/conformance/conformance.hpp"

namespace mayfly {

/// What a store is known to get wrong, as a text: each line a rule and why it is broken, as in
///
///     # decided with the customers, see the wiki
///     X4 documents come back when the default is raised
///
/// Empty lines and those that begin with # are for people. The list is to be complete: a rule is broken if and only if
/// it is there. Where it is not known which of several rules is broken, one of them has to be there.
class KnownFailures {
 public:
  KnownFailures() = default;

  /// Throws InputError, naming the place as `name:line: ...`, if a line has no reason. A rule that does not exist is
  /// not bad input: the list is stale, as if the rule were kept.
  KnownFailures(std::istream& in, std::string name);

  /// Why the rule is expected to be broken; nothing if it is not.
  std::optional<std::string> reason(Rule rule) const;

  /// Whether one of them is expected to be broken.
  bool expects(RuleSet rules) const;

  /// What is not as the list says.
  struct Mismatch {
    std::optional<Rule> rule;
    std::string text;
  };
  /// A store that was not asked everything may yet break what it has not broken: only what is certain is a mismatch.
  std::vector<Mismatch> mismatches(const Conformance& result) const;

  /// The list as it should be: what was there and is still true stays as it is, in its place, with everything that is
  /// for people; what is missing comes last.
  std::string updated(const Conformance& result) const;

 private:
  struct Line {
    std::string text;
    std::string id;  ///< nothing in a line for people
    std::string reason;
  };

  std::string place(std::size_t line) const;
  /// What is wrong with the line; nothing if it is for people, or right.
  std::string complaint(std::size_t line, const Conformance& result) const;

  std::string name_;
  std::vector<Line> lines_;
};

}  // namespace mayfly
