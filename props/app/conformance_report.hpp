#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "mayfly/props/conformance.hpp"
#include "mayfly/props/known_failures.hpp"

// The result of `mayfly conform`, as people read it, and for build servers.

namespace mayfly::app {

/// A finding as it is shown.
struct ToldFinding {
  std::string told;           ///< its timeline, and step by step
  std::string file;           ///< where its trace is saved, if it is
  boost::json::object story;  ///< as story_json.hpp has it
};

struct ConformanceReport {
  std::string store;   ///< what it calls itself
  std::string role;    ///< "engine", "reference" or "target"
  std::string target;  ///< the command, unless it is a store that is built in
  std::string access;  ///< options by which a replay reaches it
  std::uint64_t seed = 0;
  Features features;
  Conformance result;
  std::vector<ToldFinding> told;       ///< of each finding
  std::optional<KnownFailures> known;  ///< what is expected, if that was said
  bool was_interrupted = false;

  std::vector<KnownFailures::Surprise> surprises() const {
    return known ? known->surprises(result) : std::vector<KnownFailures::Surprise>{};
  }
  /// Whether it is a violation: what nobody expects, or no rule explains; without expectations, a rule that fails, or
  /// one that is unattributed and may be a stated one.
  bool is_violated() const;
  /// Whether nothing is wrong and too little was asked for that to mean anything.
  bool is_inconclusive() const { return !is_violated() && !result.why_inconclusive().empty(); }
};

/// The sentence of the planted defect that explains it. Requires that one does.
std::string reading_of(const Finding& finding);

/// "a longer default brings expired documents back", of every finding of the rule; nothing if none is known.
std::string reading_of(const Conformance& result, const RuleResult& rule);

/// Every rule in a table, or only those that may be broken or were not exercised.
std::string verdict_table(const ConformanceReport& report, bool only_notable);

/// Each finding: what it is, the shortest trace, and how to run it again.
std::string told_findings(const ConformanceReport& report, const std::string& program);

/// One line, and one for each surprise.
std::string verdict_lines(const ConformanceReport& report);

std::string junit_of(const ConformanceReport& report);

/// An annotation for each thing that is red, where GitHub runs us.
std::string annotations_of(const ConformanceReport& report);

}  // namespace mayfly::app
