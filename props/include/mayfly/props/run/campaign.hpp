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

// A campaign: the cases of one seed, run by several processes, on this machine and on others.
//
// Cases are numbered. Shard i of n has the numbers i, i + n, i + 2n and so on; of these, each worker has every jobs-th.
// So the cases of a campaign are the same however it is spread, and no case is run twice. If a worker dies or times
// out, the case that it was running has failed, and a new worker continues after that case.
//
// Without `keep_going`, a campaign ends with the lowest case number that fails: workers continue until they are past
// it, so that the result does not depend on which of them is faster.

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
  double case_seconds = 10;  ///< timeout of a case; a store in another process has a timeout of its own
  bool keep_going = false;
};

/// The number of a failed case, and how it failed. `reproduce` makes the whole failure of it.
struct FailedCase {
  std::uint64_t number = 0;
  std::string crash;           ///< empty if the store gave a wrong answer
  std::uint64_t likeness = 0;  ///< equal if the same kind of request got the same kind of wrong answer
};

/// A fingerprint of all requests and answers of the cases from the first one on. It does not depend on how they were
/// spread over workers and shards.
struct CampaignDigest {
  /// Part b is that of the cases whose numbers have b binary digits. So a run that ends by time has a digest of the
  /// first cases, as many as all of its workers have run.
  std::vector<std::uint64_t> parts;
  std::uint64_t cases = 0;  ///< number of cases covered
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

/// Called a few times a second with the result so far. Returning true ends the campaign.
using Observer = std::function<bool(const CampaignResult& so_far)>;

/// A failed case in full, and the subject that failed.
struct Reproduced {
  Failure failure;
  Subject* subject = nullptr;
};

/// Runs a failed case again: in this process, or if it crashed in child processes, to find which of its tasks crashed.
/// Nothing if it does not fail on its own. Once `cancel` returns true, the result is meaningless.
std::optional<Reproduced> reproduce(const FailedCase& failed, RandomSearch& search, double case_seconds,
                                    const std::function<bool()>& cancel = {});

CampaignResult run_campaign(const CampaignPlan& plan, Subject& subject, Subject* reference_subject,
                            const Observer& observer);

}  // namespace mayfly
