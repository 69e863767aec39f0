#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "mayfly/props/campaign.hpp"

// The result of a campaign, or of its shards together: what is printed, written with --json, and merged.

namespace mayfly::app {

/// A defect that was found, known by its canonical trace.
struct Found {
  std::string trace;              ///< as a trace file
  std::string store;              ///< the one that failed
  std::string property;           ///< what it breaks
  std::string rules;              ///< the ids of those that decided the step where it showed
  std::string told;               ///< step by step, for people
  std::uint64_t number = 0;       ///< the first case that showed it
  std::uint64_t times = 1;        ///< how many cases did
  std::string file;               ///< where the trace is saved, if it is
  std::uint64_t earlier = 0;      ///< how many cases of the trace have to be run before the one that fails
  bool differs_in_batch = false;  ///< it shows in a batch and not alone, or the other way round
  std::optional<Rule> blamed{};   ///< the rule that it most likely breaks; not in the JSON
  boost::json::object story{};    ///< as story_json.hpp has it; empty if there is none
};

struct Result {
  std::uint64_t seed = 0;
  std::string settings;  ///< the options that shards of one campaign have in common, but for the seed
  std::string target;    ///< the command of the store, unless it is the one built in
  std::string access;    ///< options that go with it
  std::uint64_t shard_count = 1;
  std::vector<std::uint64_t> shards{0};  ///< those that are in it
  std::uint64_t cases = 0;
  std::uint64_t laws = 0;
  std::uint64_t answered = 0;  ///< requests, by a target
  double seconds = 0;
  bool was_interrupted = false;
  bool canary_survived = false;
  bool canary_was_hunted = false;
  std::uint64_t least_cases = 1;  ///< fewer of them prove nothing
  RuleSet hidden;                 ///< the rules that the store cannot be seen to break
  Tally tally;
  CampaignDigest digest;
  std::vector<Found> found;
  std::uint64_t not_investigated = 0;  ///< cases that failed besides

  bool is_violated() const { return !found.empty(); }
};

/// Why a result without violations proves nothing; nothing if it does. Of a campaign of which shards are missing only
/// what no other shard can mend.
std::vector<std::string> doubts(const Result& result);

/// Adds a defect, or counts it if it is there already. Its place.
std::size_t add(std::vector<Found>& all, Found found);

/// Adds the result of another shard. Throws InputError if it is not one of the same campaign, or is in it already.
void merge(Result& into, const Result& other);

std::string to_json_text(const Result& result);

/// Throws InputError, which names the file.
Result read_result(const std::string& path);

/// Saves the trace of each defect: in the corpus if there is one, else the first under this name, or the usual one, and
/// the others with a number after it. Says on standard error which could not be, and returns whether all could.
bool save_traces(std::vector<Found>& all, const std::optional<std::string>& save,
                 const std::optional<std::string>& corpus = {});

/// What went wrong as people read it: each defect with how to run its trace again, and the canary if it survived.
std::string told(const Result& result, const std::string& program);

/// The same with what was exercised as a page (report/page.hpp). `repeat` is the command that does it again.
std::string to_page(const Result& result, const std::string& program, const std::string& repeat);

/// What was exercised, as two tables.
std::string exercised(const Tally& tally);

/// One line: held or not, how much, how fast.
std::string verdict(const Result& result);

}  // namespace mayfly::app
