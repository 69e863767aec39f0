#include "mayfly/props/crew.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>

#include <doctest/doctest.h>

#include "mayfly/props/conformance.hpp"
#include "mayfly/props/defective_store.hpp"
#include "mayfly/props/generate.hpp"
#include "mayfly/props/hunt.hpp"
#include "mayfly/props/isolate.hpp"
#include "mayfly/props/random.hpp"
#include "mayfly/props/shared.hpp"

// A crew of processes, on a store that stands in for one far away.

namespace mayfly::test {

namespace {

/// A store of this process that passes for one of another. It has a defect, and is asked for trouble by the names of
/// collections.
class Distant final : public RemoteSubject {
 public:
  explicit Distant(Defect defect) : store_("distant", Audit::never, DefectiveStore(defect)) {}

  std::string name() const override { return store_.name(); }
  std::string own_name() const override { return "\"distant\""; }
  Features features() const override { return {.batch = false}; }
  std::uint64_t answered() const override { return 0; }
  void ask_all(std::span<const Request>, const Seen&) override {}
  void ask_ahead(std::span<const Request>) override {}
  void allow(double) override {}
  void fail_when(std::function<bool()> gives_up) override { gives_up_ = std::move(gives_up); }

  void reset(Instant now) override {
    ++resets_[0];
    store_.reset(now);
  }
  Outcome apply(const Step& step) override {
    const auto* query = std::get_if<Query>(&step.operation);
    if (query && query->collection == "deadly") ::raise(SIGKILL);
    if (query && query->collection == "leaving") std::_Exit(0);
    while (query && query->collection == "endless" && !gives_up_()) {
    }
    if (query && (query->collection == "endless" || query->collection == "failing")) throw StoreFailure("failed");
    return store_.apply(step);
  }

  int resets() { return resets_[0]; }

 private:
  InProcess<DefectiveStore> store_;
  std::function<bool()> gives_up_;
  Shared<std::atomic<int>> resets_{1};  ///< by whichever process
};

const auto never = [] { return false; };

Case query_of(const std::string& collection) { return {{}, {Query{{collection, {}}}}}; }

std::vector<Question> some_questions(const Features& features) {
  std::vector<Question> questions;
  Random random(7);
  for (int i = 0; i < 60; ++i) {
    const Case test_case = within(features, generate(random.next(), {.longest_case = 30}));
    for (const Property& property : all_properties())
      if (has(features, property.needs)) questions.push_back({&property, test_case});
  }
  return questions;
}

bool are_same(const std::optional<Violation>& a, const std::optional<Violation>& b) {
  if (!a || !b) return !a && !b;
  return a->step == b->step && a->operation == b->operation && a->crash == b->crash &&
         a->exchange.actual == b->exchange.actual && a->exchange.expected.answer == b->exchange.expected.answer;
}

}  // namespace

TEST_CASE("a crew says of every property and case what the store itself would say, in whichever order it is asked") {
  Distant store(Defect::expires_late);
  const auto questions = some_questions(store.features());
  Crew crew(store, 4, 10, never);
  int broken = 0;
  const auto agree = [&](const Question& question) {
    const auto expected = check(*question.property, question.test_case, store);
    broken += expected.has_value();
    return are_same(expected, crew.ask(*question.property, question.test_case));
  };
  crew.ask_ahead(questions);
  for (const auto& question : questions) CHECK(agree(question));
  crew.ask_ahead(questions);
  for (std::size_t i = questions.size(); i-- > 0;) CHECK(agree(questions[i]));
  CHECK(agree(questions.front()));  // which nobody has foreseen
  CHECK(broken > 10);
}

TEST_CASE("what was foreseen is asked once, and what is asked again is asked anew") {
  Distant store(Defect::none);
  Crew crew(store, 3, 10, never);
  const Question question{&agrees_unwatched(), query_of("c0")};
  crew.ask_ahead({question, question});
  crew.ask(*question.property, question.test_case);
  crew.ask(*question.property, question.test_case);
  CHECK(store.resets() == 1);
  crew.ask(*question.property, question.test_case);
  CHECK(store.resets() == 2);
}

TEST_CASE("a member that dies is a store that fails, and another takes its place") {
  Distant store(Defect::none);
  Crew crew(store, 2, 10, never);
  std::vector<Question> questions;
  for (const auto* name : {"c0", "deadly", "failing", "leaving", "c1", "c2"})
    questions.push_back({&agrees_unwatched(), query_of(name)});
  for (int times = 0; times < 2; ++times) {
    crew.ask_ahead(questions);
    CHECK_FALSE(crew.ask(agrees_unwatched(), query_of("c0")));
    CHECK(crew.ask(agrees_unwatched(), query_of("deadly"))->crash == "crashed with SIGKILL (signal 9)");
    CHECK(crew.ask(agrees_unwatched(), query_of("failing"))->crash == "failed");
    CHECK(crew.ask(agrees_unwatched(), query_of("leaving"))->crash == "exited with status 0");
    CHECK_FALSE(crew.ask(agrees_unwatched(), query_of("c1")));
    CHECK_FALSE(crew.ask(agrees_unwatched(), query_of("c2")));
  }
}

TEST_CASE("what nobody wants to know any more is broken off") {
  Distant store(Defect::none);
  Crew crew(store, 1, 10, never);
  const Question endless{&agrees_unwatched(), query_of("endless")};
  const Question short_one{&agrees_unwatched(), query_of("c0")};
  for (int times = 0; times < 3; ++times) {
    crew.ask_ahead({endless, short_one});
    crew.ask_ahead({short_one});
    CHECK_FALSE(crew.ask(*short_one.property, short_one.test_case));
  }
  crew.ask_ahead({endless});  // and what is left in the end is not waited for
}

TEST_CASE("nobody is waited for by a crew that gives up") {
  Distant store(Defect::expires_late);
  Crew crew(store, 2, 10, [] { return true; });
  CHECK_FALSE(crew.answers_to(agrees_unwatched(), query_of("failing")));
  CHECK_FALSE(crew.ask(agrees_unwatched(), query_of("failing")));
}

TEST_CASE("a case shrinks to the same with a crew and without") {
  Distant store(Defect::expires_late);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto hunted = hunt(store, seed, 10'000);
    REQUIRE(hunted.failure);
    const Minimised alone = minimise_isolated(*hunted.failure, store, 10, never);
    Crew crew(store, 4, 10, never);
    const Minimised together = minimise_isolated(*hunted.failure, store, 10, never, &crew);
    CHECK(together.failure.test_case == alone.failure.test_case);
    CHECK(together.failure.property == alone.failure.property);
    CHECK(together.runs == alone.runs);
    CHECK(together.is_minimal);
  }
}

TEST_CASE("a store gets the same verdicts from a crew") {
  Distant store(Defect::revived_by_off);
  const ConformancePlan plan{.seed = 1, .cases = 30, .floor = 3};
  const Conformance alone = conform(plan, store, [&](const Property& p, const Case& c) { return check(p, c, store); });
  Crew crew(store, 4, 10, never);
  const Conformance together = conform(plan, store, crew.runner());
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
