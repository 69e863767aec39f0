#include "mayfly/props/verify.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <unistd.h>

#include <doctest/doctest.h>

#include "mayfly/props/defects/defective_store.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "mayfly/sim/input_error.hpp"
#include "temporary_folder.hpp"

namespace mayfly::test {

namespace {

/// Has every feature but declares none, and fails if one is used.
struct PlainEngine : Engine {
  static constexpr Features features = BasicStore::features;

  static Outcome refuse() { throw std::logic_error("it was asked for what it does not have"); }
  Outcome patch(Instant, const DocumentKey&, const Patch&) { return refuse(); }
  Outcome purge(Instant, Budget) { return refuse(); }
  Outcome index(Instant, const std::string&, Budget) { return refuse(); }
};

/// Ends the process at the first deletion of a document.
struct Leaves : Engine {
  void (*leave)() = [] {};

  Outcome erase(Instant now, const DocumentKey& key) {
    const Outcome outcome = Engine::erase(now, key);
    if (outcome.status == Status::no_content) leave();
    return outcome;
  }
};

}  // namespace

TEST_CASE("verify finds the broken property of a store, and the shortest case that shows it") {
  for (const bool isolated : {true, false}) {
    CAPTURE(isolated);
    const Verified verified = verify({.seed = 1, .isolated = isolated}, DefectiveStore(Defect::expires_late));
    CHECK(!verified.held);
    CHECK(std::count(verified.trace.begin(), verified.trace.end(), '\n') == 5);
    CHECK(verified.trace.starts_with(R"({"op":"reset","now":0})"));
    CHECK(verified.text.find("the store breaks \"the store answers every request") == 0);
    CHECK(verified.text.find("shrunk from ") != std::string::npos);
    CHECK(verified.text.find("At second 1 the store still shows c0/p0/d0, which") != std::string::npos);
    CHECK(verified.text.find("c0/p0/d0        W==========|r!!!!!") != std::string::npos);
    CHECK(verified.text.find("<-- differs") != std::string::npos);
    CHECK(verified.property == "the store answers every request as the rules allow");
    CHECK(verified.rules.contains(Rule::X1));
  }
}

TEST_CASE("a store that ends the process in the middle of a case fails, whatever the exit status") {
  const std::pair<void (*)(), const char*> ends[]{{[] { std::exit(0); }, "exited with status 0"},
                                                  {[] { ::_exit(0); }, "exited with status 0"},
                                                  {[] { std::exit(23); }, "exited with status 23"},
                                                  {[] { ::raise(SIGKILL); }, "crashed with SIGKILL (signal 9)"}};
  for (const auto& [leave, text] : ends) {
    Leaves store;
    store.leave = leave;
    const Verified verified = verify({.seed = 1, .cases = 200}, store);
    CHECK(!verified.held);
    CHECK(verified.text.find(text) != std::string::npos);
    CHECK(std::count(verified.trace.begin(), verified.trace.end(), '\n') == 4);
  }
}

TEST_CASE("a corpus keeps the shortest case of a violation, and replays it first") {
  const TemporaryFolder folder;
  const VerifyOptions options{.seed = 1, .isolated = false, .corpus = folder.file().string()};
  const Verified first = verify(options, DefectiveStore(Defect::expires_late));
  CHECK(first.text.find("shrunk from ") != std::string::npos);
  const Verified again = verify(options, DefectiveStore(Defect::expires_late));
  CHECK(!again.held);
  CHECK(again.trace == first.trace);
  CHECK(again.text.find(".jsonl\n") != std::string::npos);
  CHECK(again.text.find("shrunk from ") == std::string::npos);
  CHECK(verify<Engine>({.cases = 100, .isolated = false, .corpus = folder.file().string()}).held);
}

TEST_CASE("a trace is replayed on a class in this process") {
  const std::string trace = verify({.seed = 1}, DefectiveStore(Defect::expires_late)).trace;
  const Verified replayed = replay(trace, DefectiveStore(Defect::expires_late));
  CHECK(!replayed.held);
  CHECK(replayed.text.find("At second 1 the store still shows c0/p0/d0, which") != std::string::npos);
  CHECK(replay<Engine>(trace).held);
  CHECK_THROWS_AS(replay<Engine>(""), InputError);
  CHECK_THROWS_WITH_AS(replay<Engine>("{}"), doctest::Contains("trace:1: "), InputError);
}

TEST_CASE("an exception of a store is reported with its text") {
  struct Throws : Engine {
    Outcome erase(Instant, const DocumentKey&) { throw std::logic_error("nothing is ever deleted here"); }
  };
  const Verified verified = verify<Throws>({.seed = 1});
  CHECK(!verified.held);
  CHECK(verified.text.find("threw std::logic_error: nothing is ever deleted here") != std::string::npos);
  CHECK(std::count(verified.trace.begin(), verified.trace.end(), '\n') == 2);
}

TEST_CASE("verify reports how many cases of a correct store held") {
  for (const bool isolated : {true, false}) {
    const Verified verified = verify<Engine>({.seed = 1, .cases = 200, .longest_case = 20, .isolated = isolated});
    CHECK(verified.held);
    CHECK(verified.text.starts_with("held: 200 cases, "));
    CHECK(verified.trace.empty());
  }
}

TEST_CASE("a store gets no requests for features that it lacks, and no laws that need them") {
  CHECK(verify<PlainEngine>({.cases = 300, .isolated = false}).held);
  CHECK(verify<PlainEngine>({.cases = 300}).held);
}

}  // namespace mayfly::test
