#include "mayfly/props/run/campaign.hpp"

#include <doctest/doctest.h>

#include "mayfly/sim/engine/engine.hpp"

namespace mayfly::test {

namespace {

/// Wrong at every upsert over a live document, and at the rare query of a missing collection.
class CommonAndRare : public Engine {
 public:
  Outcome upsert(Instant now, const DocumentKey& key, const Content& content) {
    Outcome outcome = Engine::upsert(now, key, content);
    if (outcome.status == Status::ok) outcome.status = Status::created;
    return outcome;
  }
  Outcome query(Instant now, const std::string& name, const std::optional<std::string>& partition) {
    Outcome outcome = Engine::query(now, name, partition);
    if (outcome.status == Status::not_found) outcome.status = Status::ok;
    return outcome;
  }
};
static_assert(Store<CommonAndRare>);

CampaignResult run(Subject& subject, const CampaignPlan& plan) {
  return run_campaign(plan, subject, nullptr, [](const CampaignResult&) { return false; });
}

}  // namespace

TEST_CASE("a common defect does not hide a rare one from a campaign that keeps going") {
  InProcess<CommonAndRare> store("store");
  for (const unsigned jobs : {1U, 3U}) {
    const CampaignPlan plan{.seed = 1, .jobs = jobs, .cases = 2'000, .most_seconds = 1e9, .keep_going = true};
    const CampaignResult result = run(store, plan);
    CHECK(result.cases == 2'000);
    CHECK(result.unreported > 500);  // most failures are of the common defect
    RandomSearch search(plan.seed, plan.worlds, store);
    std::size_t common = 0, rare = 0;
    for (const FailedCase& failed : result.failed_cases) {
      const auto failure = search.check_case(failed.number);
      REQUIRE(failure);
      const Operation& asked = failure->violation.operation;
      ++(std::holds_alternative<Query>(asked) ? rare : common);
    }
    CHECK(rare > 0);
    CHECK(common > 0);
  }
}

TEST_CASE("the digest of a campaign does not depend on how its cases are distributed") {
  InProcess<Engine> engine("engine");
  CampaignPlan plan{.seed = 3, .cases = 300, .most_seconds = 1e9};
  const CampaignDigest alone = run(engine, plan).digest;
  CHECK(alone.cases == 300);
  plan.jobs = 3;
  CHECK(run(engine, plan).digest.value() == alone.value());
  std::uint64_t sum = 0;
  for (plan.shard = {0, 3}; plan.shard.index < 3; ++plan.shard.index) sum += run(engine, plan).digest.value();
  CHECK(sum == alone.value());
  plan = {.seed = 4, .cases = 300, .most_seconds = 1e9};
  CHECK(run(engine, plan).digest.value() != alone.value());
}

// A change of the generator or of the engine's prices may change this figure; a change of compiler or machine may not.
TEST_CASE("the digest of a campaign is the same on every compiler") {
  InProcess<Engine> engine("engine");
  CHECK(run(engine, {.seed = 3, .cases = 100, .most_seconds = 1e9}).digest.value() == 9'470'907'088'516'318'848u);
}

}  // namespace mayfly::test
