#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "mayfly/props/conformance/conformance.hpp"
#include "mayfly/props/conformance/known_failures.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/report/annotation.hpp"
#include "mayfly/props/run/campaign.hpp"
#include "mayfly/sim/features.hpp"

// What a command has found out about a store. `check`, `merge`, `conform`, `explore` and `replay` fill this one type;
// text (result_text.hpp), annotations (annotation.hpp) and files (report_writers.hpp) are functions of it.

namespace mayfly {

/// A finding as it is reported. Two findings are the same if their traces are equal.
struct ReportedFinding {
  std::string store;                    ///< the one that failed
  std::string property;                 ///< what it breaks
  std::string headline;                 ///< what is wrong, in a line
  std::string intro;                    ///< what it is and how it was found, as lines
  std::string text;                     ///< step by step
  std::string trace;                    ///< the shortest case, as a trace file
  std::string file;                     ///< where that is saved, if it is
  RuleSet deciding;                     ///< the rules that decide the step at which it shows
  std::optional<Rule> rule;             ///< the one to blame
  RuleSet candidates;                   ///< if that is not known: one of them is broken
  std::vector<CandidateStep> steps;     ///< the necessary steps: without any one of them the case holds
  std::string reading;                  ///< what the store does instead, if a planted defect explains it
  std::optional<std::uint64_t> number;  ///< the first random case that showed it
  std::string world;                    ///< of that case
  std::uint64_t times = 1;              ///< cases that showed it
  std::uint64_t earlier = 0;            ///< cases of the trace that have to be run before the one that fails
  bool differs_in_batch = false;        ///< it shows in a batch and not alone, or the other way round
  bool is_red = true;                   ///< otherwise it is expected, or only another reading
  boost::json::object failure;          ///< as result.schema.json has it: "step", "request", "actual" and so on
  boost::json::object story;            ///< as story_json.hpp has it; empty if there is none
};

/// What a result says of one rule.
struct ReportedRule {
  /// The scenarios of the rule.
  struct Scenarios {
    std::uint64_t met = 0;
    std::vector<std::string> failed;
    std::uint64_t untested = 0;
  };

  Rule rule = Rule::T1;
  RuleVerdict verdict = RuleVerdict::not_exercised;
  std::uint64_t checks = 0;    ///< right answers for which the rule was decisive
  std::uint64_t failures = 0;  ///< failed cases that are blamed on it, or may be
  Scenarios scenarios;
  std::vector<std::size_t> findings;  ///< indexes of the findings that are blamed on it, or may be
  std::string reading;                ///< what the store does instead, if that is known
  std::string why;                    ///< the reason why it is unattributed, unsupported, or not exercised
  std::string remark;                 ///< what spoilt its scenario
  std::optional<std::string> reason;  ///< why it is expected to be broken, if it is
  bool is_red = false;
};

/// A trace of a corpus, or one that is replayed.
struct ReportedTrace {
  std::string name;
  bool is_untested = false;  ///< it needs features that the store lacks, or is beyond its limits
  bool is_met = true;
  bool is_red = false;
  RuleSet blamed;                      ///< the rules blamed if it is not met
  std::optional<std::size_t> finding;  ///< its index
};

/// What cases of one world exercised.
struct ReportedWorld {
  std::string name;
  std::uint64_t cases = 0;
  std::uint64_t operations = 0;
  double seconds = 0;                             ///< that they took, of all workers together
  std::array<std::uint64_t, rule_count> rules{};  ///< how often each was decisive
};

/// The part of `check` and `merge`: one or several shards of a campaign.
struct CampaignReport {
  std::string settings;  ///< the options that shards of one campaign have in common, but for the seed
  std::uint64_t shard_count = 1;
  std::vector<std::uint64_t> shards{0};  ///< indexes of the shards in this result
  std::uint64_t laws = 0;
  std::uint64_t answered = 0;      ///< requests, by a target
  std::string canary = "skipped";  ///< or "caught", or "survived"
  std::uint64_t least_cases = 1;   ///< fewer of them prove nothing
  RuleSet hidden;                  ///< the rules whose violation cannot be observed on the store
  Tally tally;
  std::vector<ReportedWorld> worlds;
  CampaignDigest digest;
};

/// Of Mayfly.
extern const std::string_view program_version;

struct Result {
  enum class End { held, violated, interrupted, inconclusive };

  std::string command;                          ///< "check", also of what `merge` has joined
  std::string mayfly_version{program_version};  ///< of the program that made the result
  std::string store;                            ///< what it calls itself
  std::string target;                           ///< the command that runs it, unless it is built in
  std::string access;                           ///< the options with which another command reaches it
  std::optional<std::uint64_t> seed;
  Features features;
  std::uint64_t cases = 0;             ///< that were finished
  std::uint64_t not_investigated = 0;  ///< further failed cases, which were not shrunk
  bool was_interrupted = false;
  std::optional<double> seconds;  ///< of the run; absent where the same seed must give the same file

  std::vector<ReportedRule> rules;  ///< all of them, or none if the command does not judge by rule
  std::vector<ReportedTrace> traces;
  std::vector<ReportedFinding> findings;
  std::vector<KnownFailures::Mismatch> mismatches;
  std::optional<CampaignReport> campaign;
  boost::json::object details;  ///< fields of the file that only this command has

  End end = End::held;
  std::string verdict;              ///< in a word or two: "held", "does not conform"
  std::string headline;             ///< the same as it is printed: "held until interrupted"
  std::string summary;              ///< what the verdict is based on, in a sentence
  std::vector<std::string> doubts;  ///< why the run is inconclusive
  std::vector<std::string> notes;   ///< sentences that are printed below the summary

  // Not in the file.
  std::string title;    ///< of a page
  std::string claim;    ///< what the whole run checks, as the name of a test case
  std::string program;  ///< as the user calls it
  std::string repeat;   ///< the command that repeats the run, if there is one
  bool is_verbose = false;

  bool is_violated() const { return end == End::violated; }
};

/// A finding with the store, the property, the headline, the failing step and the rules that decide it.
ReportedFinding reported(const Failure& failure, const std::string& store);

std::vector<ReportedWorld> reported(const WorldTallies& worlds);

/// What went wrong, in a sentence.
std::string gist_of(const ReportedFinding& finding);

/// Adds a finding, or counts it if it is there already. Returns its index.
std::size_t add(std::vector<ReportedFinding>& all, ReportedFinding finding);

/// The command that runs a saved trace again.
std::string replay_command(const Result& result, const std::string& file);

}  // namespace mayfly
