#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mayfly/props/defects/catalogue.hpp"
#include "mayfly/props/generate/generate.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/property/runner.hpp"

// Conformance: a verdict on a store for every rule, from scenarios, random cases, and random cases directed at rules
// that the others exercise too rarely.
//
// One defect makes many cases fail. A failure that a planted defect explains (evidence.hpp) is blamed on that defect's
// rule. If none does, the cause may be at any step of the shrunk case: no rule that decides one of these steps passes,
// and the rules are unattributed unless only one is left (conformance/candidates.hpp). Later cases are cut off before
// the steps at which known defects show, so that one defect does not hide others.

namespace mayfly {

enum class RuleVerdict {
  pass,           ///< exercised, and nothing found
  fail,           ///< broken, and the rule is stated
  differs,        ///< broken, but the rule is decided and not stated: the store has another reading
  unattributed,   ///< this or another rule is broken, and the failures do not show which
  unsupported,    ///< the store lacks the feature
  not_exercised,  ///< no evidence
};

/// "pass", "fail", "differs", "unattributed", "unsupported", "not exercised".
std::string_view name_of(RuleVerdict verdict);
std::optional<RuleVerdict> verdict_named(std::string_view name);

inline bool is_broken(RuleVerdict verdict) { return verdict == RuleVerdict::fail || verdict == RuleVerdict::differs; }
inline bool may_be_broken(RuleVerdict verdict) { return is_broken(verdict) || verdict == RuleVerdict::unattributed; }

/// A step that a failure needs, and the rules that decide it.
struct CandidateStep {
  std::size_t step = 0;
  RuleSet rules;
};

/// A failure of a store, shrunk and blamed on a rule where possible.
struct Finding {
  std::optional<Rule> rule;          ///< the broken rule; nothing if none decides the failure, or it is not known which
  RuleSet candidates;                ///< if that is not known: one of them is broken
  std::vector<CandidateStep> steps;  ///< if no defect explains it: the case holds without any one of these steps
  Level level = Level::stated;       ///< of the broken rule
  const DefectText* known = nullptr;  ///< the planted defect that explains it, or null
  bool is_exact = true;               ///< otherwise that defect explains it only nearly: a guess
  Failure failure;                    ///< the shortest case that shows it
  std::size_t shrunk_from = 0;        ///< operations
  std::uint64_t times = 1;            ///< number of cases that showed it
  bool is_minimal = true;             ///< otherwise shrinking was cut short
  bool repeats = true;                ///< otherwise the case did not fail again
};

/// The result of a scenario, or of a trace of a corpus.
struct TraceResult {
  std::string name;
  bool is_left_out = false;  ///< it needs a feature that the store lacks
  bool is_met = true;
  RuleSet blamed;  ///< the rules blamed if it is not met
};

struct RuleResult {
  Rule rule = Rule::T1;
  RuleVerdict verdict = RuleVerdict::not_exercised;
  std::uint64_t checks = 0;    ///< right answers for which the rule was decisive
  std::uint64_t failures = 0;  ///< failed cases that are blamed on it, or may be
  std::vector<TraceResult> scenarios;
  std::vector<std::size_t> findings;  ///< indexes of the findings that are blamed on it, or may be
  std::string why;                    ///< the reason why it is unattributed, unsupported, or not exercised
};

struct Conformance {
  std::array<RuleResult, rule_count> rules;
  std::vector<TraceResult> corpus;
  std::vector<Finding> findings;       ///< by rule; then the unattributed ones, and last those of no rule
  std::uint64_t cases = 0;             ///< finished cases
  std::uint64_t not_investigated = 0;  ///< failed cases that resemble no finding, and were not shrunk
  bool was_stopped = false;            ///< before all cases were run
  bool has_given_up = false;           ///< because the store crashed too often

  std::size_t count(RuleVerdict verdict) const;

  /// If nothing is broken, the reason why that proves nothing: too few cases, or a rule that was not exercised. Empty
  /// if there is evidence for every rule that the store supports.
  std::string why_inconclusive() const;
};

/// Fewer finished cases prove nothing.
inline constexpr std::uint64_t least_cases = 100;

struct NamedCase {
  std::string name;
  Case test_case;
};

struct ConformancePlan {
  std::uint64_t seed = 0;
  std::uint64_t cases = 600;                                   ///< random cases, before those directed at a rule
  std::uint64_t floor = 100;                                   ///< checks that each rule should have, if possible
  World world;                                                 ///< of the cases
  std::vector<NamedCase> corpus;                               ///< cases that are run as well
  double shrinking = std::numeric_limits<double>::infinity();  ///< seconds for each finding, for a store in real time
  std::function<bool()> stop = [] { return false; };
};

/// Judges the store. `ask` checks a case on it: `check`, or `check_isolated` for a store that may crash. The same plan
/// and store give the same result.
Conformance conform(const ConformancePlan& plan, Subject& subject, const Runner& ask);

/// The rule that a single failure most likely breaks, judged from that failure alone.
std::optional<Rule> likely_rule(const Failure& failure, const Subject& subject);

}  // namespace mayfly
