#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/run/random_search.hpp"

// A campaign: the cases of one seed, worked through by several processes, on this machine and on others.
//
// Cases are numbered. Shard i of n has the numbers i, i + n, i + 2n and so on; of these, each worker has every jobs-th.
// So the cases of a campaign are the same however it is spread, and no case is run twice. A worker that dies or hangs
// is blamed on the case that it was at, and replaced by one that goes on after it.
//
// Unless it is to keep going, a campaign ends with the first violation, by number: workers go on until they are past
// the lowest number that failed, so that the result does not depend on which of them was faster.

namespace mayfly {

struct Shard {
  std::uint64_t index = 0;
  std::uint64_t count = 1;
  bool operator==(const Shard&) const = default;
};

struct CampaignPlan {
  std::uint64_t seed = 0;
  Worlds worlds;
  Shard shard;
  unsigned jobs = 1;
  std::uint64_t cases = std::numeric_limits<std::uint64_t>::max();  ///< of all shards together
  double most_seconds = 10;
  double longest_wait = std::numeric_limits<double>::infinity();  ///< after which a case that still runs is cancelled
  double case_seconds = 10;  ///< a case that takes longer hangs; a store in another process sees to that itself
  bool keep_going = false;
};

/// A case that failed, by its number, and how: found in full by `reproduce`.
struct FailedCase {
  std::uint64_t number = 0;
  std::string crash;           ///< nothing if the store answered, only wrongly
  std::uint64_t likeness = 0;  ///< the same where the same kind of request got the same kind of wrong answer
};

/// A fingerprint of all requests and answers of the cases from the first one on. It does not depend on how they were
/// spread over workers and shards.
struct CampaignDigest {
  /// Part b is that of the cases whose numbers have b binary digits, so that a run of which time was up has one for as
  /// many cases as all of its workers got through.
  std::vector<std::uint64_t> parts;
  std::uint64_t cases = 0;  ///< how many are covered
  std::uint64_t value() const { return std::accumulate(parts.begin(), parts.end(), std::uint64_t{0}); }
};

/// What cases of one world exercised, and how long they took.
struct WorldTally {
  std::uint64_t cases = 0;
  double seconds = 0;  ///< of all workers together
  Tally tally;
  WorldTally& operator+=(const WorldTally& other);
};

/// By the places of the worlds in their table.
using WorldTallies = std::array<WorldTally, all_worlds.size()>;

struct CampaignResult {
  Tally tally;
  WorldTallies worlds;
  std::uint64_t cases = 0;
  std::uint64_t laws = 0;
  std::uint64_t answered = 0;            ///< requests, by a store in another process
  std::vector<FailedCase> failed_cases;  ///< by number; of those that are alike, the first ones
  std::uint64_t unreported = 0;          ///< failures beyond those
  CampaignDigest digest;                 ///< empty where time is real
  double seconds = 0;
  bool was_interrupted = false;
};

/// Called a few times a second with what is known so far. True ends the campaign.
using Observer = std::function<bool(const CampaignResult& so_far)>;

/// A failed case in full, and the subject that failed.
struct Reproduced {
  Failure failure;
  Subject* subject = nullptr;
};

/// Runs a failed case again: one that has only failed in this process, one that crashed elsewhere, to see which
/// of its tasks it was. Nothing if it does not fail on its own. Once `cancel` says so the result means nothing.
std::optional<Reproduced> reproduce(const FailedCase& failed, RandomSearch& search, double case_seconds,
                                    const std::function<bool()>& cancel = {});

CampaignResult run_campaign(const CampaignPlan& plan, Subject& subject, Subject* beside, const Observer& observer);

}  // namespace mayfly
