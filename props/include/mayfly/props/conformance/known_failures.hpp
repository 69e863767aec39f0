#pragma once

#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/props/conformance/conformance.hpp"

namespace mayfly {

/// The known failures of a store, as a text: each line names a rule and the reason why it is broken, as in
///
///     # decided with the customers, see the wiki
///     X4 documents come back when the default is raised
///
/// Empty lines and those that begin with # are comments. The list must be complete: a rule is broken if and only if it
/// is listed. If it is not known which of several rules is broken, one of them must be listed.
class KnownFailures {
 public:
  KnownFailures() = default;

  /// Throws InputError, naming the place as `name:line: ...`, if a line has no reason. An unknown rule is not bad
  /// input: the list is stale, as if the rule were kept.
  KnownFailures(std::istream& in, std::string name);

  /// The reason why the rule is expected to be broken; nothing if it is not.
  std::optional<std::string> reason(Rule rule) const;

  /// Whether one of the rules is expected to be broken.
  bool expects(RuleSet rules) const;

  /// A deviation of the result from the list.
  struct Mismatch {
    std::optional<Rule> rule;
    std::string text;
  };
  /// After a run that was cut short, only certain deviations are mismatches: the store may break further rules.
  std::vector<Mismatch> mismatches(const Conformance& result) const;

  /// The corrected list: lines that are still true keep their places, as do comments; missing lines are added at the
  /// end.
  std::string updated(const Conformance& result) const;

 private:
  struct Line {
    std::string text;
    std::string id;  ///< empty in a comment
    std::string reason;
  };

  std::string place(std::size_t line) const;
  /// The deviation of the line; empty if the line is right or a comment.
  std::string complaint(std::size_t line, const Conformance& result) const;

  std::string name_;
  std::vector<Line> lines_;
};

}  // namespace mayfly
