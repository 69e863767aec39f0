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

// Conformance: a verdict on a store for every rule, from scenarios and from random cases, some of them directed at
// rules that the others exercise too little.
//
// One defect makes many cases fail. A failure that a planted defect explains (evidence.hpp) is blamed on that defect's
// rule. Where none does, the cause may be at any step of the shrunk case: none of the rules that decide one of them
// passes, and unless only one is left they are unattributed (conformance/candidates.hpp). Further cases are cut off
// before what is known by then, so that one defect does not hide what is behind it.

namespace mayfly {

enum class RuleVerdict {
  pass,           ///< exercised, and nothing found
  fail,           ///< broken, and the rule is stated
  differs,        ///< not kept, but decided and not stated: the store has another reading
  unattributed,   ///< it, or another rule, is broken: which of them cannot be told
  unsupported,    ///< the store lacks the feature
  not_exercised,  ///< nothing can be said
};

/// "pass", "fail", "differs", "unattributed", "unsupported", "not exercised".
std::string_view name_of(RuleVerdict verdict);
std::optional<RuleVerdict> verdict_named(std::string_view name);

inline bool is_broken(RuleVerdict verdict) { return verdict == RuleVerdict::fail || verdict == RuleVerdict::differs; }
inline bool may_be_broken(RuleVerdict verdict) { return is_broken(verdict) || verdict == RuleVerdict::unattributed; }

/// A step that a failure takes, and the rules that decide it.
struct CandidateStep {
  std::size_t step = 0;
  RuleSet rules;
};

/// Something that is wrong with a store.
struct Finding {
  std::optional<Rule> rule;           ///< the one to blame; nothing if none decides it, or it is not known which
  RuleSet candidates;                 ///< where that is not known: one of them is broken
  std::vector<CandidateStep> steps;   ///< where no defect explains it: the case holds without any one of these
  Level level = Level::stated;        ///< of what is broken
  const DefectText* known = nullptr;  ///< the planted defect that explains it, if any does
  bool is_exact = true;               ///< otherwise that defect is only nearly what it is: a guess
  Failure failure;                    ///< the shortest case that shows it
  std::size_t shrunk_from = 0;        ///< operations
  std::uint64_t times = 1;            ///< cases that showed it
  bool is_minimal = true;             ///< otherwise shrinking it was cut short
  bool repeats = true;                ///< otherwise it did not fail when it was asked again
};

/// What became of a scenario, or of a trace of a corpus.
struct TraceResult {
  std::string name;
  bool is_left_out = false;  ///< it needs what the store lacks
  bool is_met = true;
  RuleSet blamed;  ///< for not being met
};

struct RuleResult {
  Rule rule = Rule::T1;
  RuleVerdict verdict = RuleVerdict::not_exercised;
  std::uint64_t checks = 0;    ///< at which the rule was decisive and the answer was right
  std::uint64_t failures = 0;  ///< cases that failed and are blamed on it, or may be
  std::vector<TraceResult> scenarios;
  std::vector<std::size_t> findings;  ///< what is blamed on it, or may be, by place
  std::string why;                    ///< it is unattributed, unsupported, or was not exercised
};

struct Conformance {
  std::array<RuleResult, rule_count> rules;
  std::vector<TraceResult> corpus;
  std::vector<Finding> findings;       ///< by rule; then those that are unattributed, and last those of no rule
  std::uint64_t cases = 0;             ///< that were finished
  std::uint64_t not_investigated = 0;  ///< cases that failed, are like no finding, and were not shrunk
  bool was_stopped = false;            ///< before all was asked
  bool has_given_up = false;           ///< because the store crashed too often

  std::size_t count(RuleVerdict verdict) const;

  /// Why nothing can be concluded, as long as nothing is broken: too few cases, or a rule that was not exercised. Empty
  /// if there is evidence for every rule that the store announces.
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
  std::uint64_t cases = 600;      ///< random ones, before those that are directed at a rule
  std::uint64_t floor = 100;      ///< checks that each rule should have, where that can be
  World world;                    ///< of the cases
  std::vector<NamedCase> corpus;  ///< tried as well
  double shrinking = std::numeric_limits<double>::infinity();  ///< seconds for each finding, where time is real
  std::function<bool()> stop = [] { return false; };
};

/// Judges the store. `ask` tries a case on it: `check`, or `check_isolated` for a store that may crash. Asked the same,
/// a store gets the same result.
Conformance conform(const ConformancePlan& plan, Subject& subject, const Runner& ask);

/// The rule that a single failure most likely breaks, where there is no more to go by.
std::optional<Rule> likely_rule(const Failure& failure, const Subject& subject);

}  // namespace mayfly
