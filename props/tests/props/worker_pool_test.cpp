#include "mayfly/props/run/worker_pool.hpp"

#include <csignal>
#include <cstdlib>

#include <doctest/doctest.h>

#include "mayfly/props/conformance/conformance.hpp"
#include "mayfly/props/defects/defective_store.hpp"
#include "mayfly/props/generate/generate.hpp"
#include "mayfly/props/property/check.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/run/isolate.hpp"
#include "mayfly/props/run/random_search.hpp"
#include "mayfly/sim/random.hpp"

// A pool of worker processes, on a store that stands in for a remote one.

namespace mayfly::test {

namespace {

/// A store of this process that looks like one of another process. It has a defect, and the names of collections make
/// it crash or hang.
class Distant final : public RemoteSubject {
 public:
  explicit Distant(Defect defect) : store_("distant", Audit::never, DefectiveStore(defect)) {}

  std::string name() const override { return store_.name(); }
  std::string own_name() const override { return "\"distant\""; }
  Features features() const override { return {.batch = false}; }
  std::uint64_t answered() const override { return 0; }
  void set_timeout(double) override {}
  void cancel_when(std::function<bool()> is_cancelled) override { is_cancelled_ = std::move(is_cancelled); }

  void reset(Instant now) override { store_.reset(now); }
  Outcome apply(const Step& step) override {
    const auto* query = std::get_if<Query>(&step.operation);
    if (query && query->collection == "deadly") ::raise(SIGKILL);
    if (query && query->collection == "leaving") std::_Exit(0);
    while (query && query->collection == "endless" && !is_cancelled_()) {
    }
    if (query && (query->collection == "endless" || query->collection == "failing")) throw StoreFailure("failed");
    return store_.apply(step);
  }

 private:
  InProcess<DefectiveStore> store_;
  std::function<bool()> is_cancelled_;
};

const auto never = [] { return false; };

Case query_of(const std::string& collection) { return {{}, {Query{{collection, {}}}}}; }

std::vector<Question> some_questions(const Features& features) {
  std::vector<Question> questions;
  Random random(7);
  for (int i = 0; i < 60; ++i) {
    const Case test_case = within(features, generate(random.next(), {.longest_case = 30}));
    for (const Property& property : all_properties())
      if (has(features, property.needs())) questions.push_back({&property, test_case});
  }
  return questions;
}

bool are_same(const Violation& a, const Violation& b) {
  return a.step == b.step && a.operation == b.operation && a.crash == b.crash &&
         a.exchange.actual == b.exchange.actual && a.exchange.expected.answer == b.exchange.expected.answer;
}

/// The questions from one on.
Questions from(std::vector<Question> questions, std::size_t next) {
  return [questions = std::move(questions), next]() mutable -> std::optional<Question> {
    if (next == questions.size()) return std::nullopt;
    return questions[next++];
  };
}

}  // namespace

TEST_CASE("a pool of any size finds the same first failure as checking one question after the other") {
  Distant store(Defect::expires_late);
  const auto questions = some_questions(store.features());
  const Runner in_turn(
      [&](const Property& property, const Case& test_case) { return check(property, test_case, store); });
  int failures = 0;
  for (const std::size_t workers : {std::size_t{1}, std::size_t{4}}) {
    WorkerPool pool(store, workers, 10, never);
    for (std::size_t begin = 0; begin < questions.size();) {
      const Answered expected = in_turn.first_failure(from(questions, begin));
      const Answered actual = pool.first_failure(from(questions, begin));
      CHECK(actual.held == expected.held);
      REQUIRE(actual.failure.has_value() == expected.failure.has_value());
      if (!expected.failure) break;
      ++failures;
      CHECK(actual.failure->index == expected.failure->index);
      CHECK(actual.failure->question.test_case == expected.failure->question.test_case);
      CHECK(are_same(actual.failure->violation, expected.failure->violation));
      begin += expected.failure->index + 1;
    }
  }
  CHECK(failures > 20);
}

TEST_CASE("failures that do not count and questions of no interest are skipped") {
  Distant store(Defect::expires_late);
  const auto questions = some_questions(store.features());
  const auto is_of_interest = [](const Question& question) { return question.test_case.steps.size() % 2 == 0; };
  const auto counts = [](const Question&, const Violation& violation) { return violation.step > 3; };
  WorkerPool pool(store, 3, 10, never);
  const Answered answered = pool.runner().narrowed(is_of_interest, counts).first_failure(from(questions, 0));
  REQUIRE(answered.failure);
  std::size_t first = 0;
  for (;; ++first) {
    const auto& [property, test_case] = questions[first];
    const auto violation = check(*property, test_case, store);
    if (violation && violation->step > 3 && is_of_interest(questions[first])) break;
  }
  CHECK(answered.failure->index == first);
  CHECK(answered.held == first);
}

TEST_CASE("a worker that dies is a failure of the store, and another replaces it") {
  Distant store(Defect::none);
  WorkerPool pool(store, 2, 10, never);
  const Runner runner = pool.runner();
  for (int times = 0; times < 2; ++times) {
    CHECK_FALSE(runner(agrees_unwatched(), query_of("c0")));
    CHECK(runner(agrees_unwatched(), query_of("deadly"))->crash == "crashed with SIGKILL (signal 9)");
    CHECK(runner(agrees_unwatched(), query_of("failing"))->crash == "failed");
    CHECK(runner(agrees_unwatched(), query_of("leaving"))->crash == "exited with status 0");
    CHECK_FALSE(runner(agrees_unwatched(), query_of("c1")));
  }
}

TEST_CASE("questions after the first failure are cancelled") {
  Distant store(Defect::none);
  WorkerPool pool(store, 2, 10, never);
  std::vector<Question> questions;
  for (const auto* name : {"failing", "endless", "c0"}) questions.push_back({&agrees_unwatched(), query_of(name)});
  for (int times = 0; times < 3; ++times) {
    const Answered answered = pool.first_failure(from(questions, 0));
    REQUIRE(answered.failure);
    CHECK(answered.failure->index == 0);
  }
  CHECK_FALSE(pool.first_failure(from(questions, 2)).failure);
}

TEST_CASE("a pool that is cancelled waits for no worker") {
  Distant store(Defect::expires_late);
  WorkerPool pool(store, 2, 10, [] { return true; });
  const Answered answered = pool.first_failure(from({{&agrees_unwatched(), query_of("failing")}}, 0));
  CHECK_FALSE(answered.failure);
  CHECK(answered.held == 0);
}

TEST_CASE("a case shrinks to the same with a pool of workers and without") {
  Distant store(Defect::expires_late);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto searched = random_search(store, seed, 10'000);
    REQUIRE(searched.failure);
    const Minimised alone = minimise_isolated(*searched.failure, store, 10, never);
    WorkerPool pool(store, 4, 10, never);
    const Minimised together = minimise_isolated(*searched.failure, store, 10, never, &pool);
    CHECK(together.failure.test_case == alone.failure.test_case);
    CHECK(together.failure.property == alone.failure.property);
    CHECK(together.runs == alone.runs);
    CHECK(together.is_minimal);
  }
}

TEST_CASE("a store gets the same verdicts with a pool of workers") {
  Distant store(Defect::revived_by_off);
  const ConformancePlan plan{.seed = 1, .cases = 30, .floor = 3};
  const Conformance alone = conform(plan, store, [&](const Property& p, const Case& c) { return check(p, c, store); });
  WorkerPool pool(store, 4, 10, never);
  const Conformance together = conform(plan, store, pool.runner());
  CHECK(together.cases == alone.cases);
  REQUIRE(together.findings.size() == alone.findings.size());
  for (std::size_t i = 0; i < alone.findings.size(); ++i) {
    CHECK(together.findings[i].rule == alone.findings[i].rule);
    CHECK(together.findings[i].failure.test_case == alone.findings[i].failure.test_case);
  }
  for (std::size_t i = 0; i < rule_count; ++i) {
    CHECK(together.rules[i].verdict == alone.rules[i].verdict);
    CHECK(together.rules[i].checks == alone.rules[i].checks);
  }
}

}  // namespace mayfly::test
