#include "mayfly/props/verify.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <unistd.h>

#include <doctest/doctest.h>

#include "mayfly/props/defects/defective_store.hpp"
#include "mayfly/sim/engine/engine.hpp"

namespace mayfly::test {

namespace {

/// Has every feature but says that it has none, and means it.
struct PlainEngine : Engine {
  static inline const Features features = BasicStore::features;

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

TEST_CASE("one call finds what is wrong with a store, and the shortest case that shows it") {
  for (const bool isolated : {true, false}) {
    CAPTURE(isolated);
    const Verified verified = verify({.seed = 1, .isolated = isolated}, DefectiveStore(Defect::expires_late));
    CHECK(!verified.held);
    CHECK(std::count(verified.trace.begin(), verified.trace.end(), '\n') == 5);
    CHECK(verified.trace.starts_with(R"({"op":"reset","now":0})"));
    CHECK(verified.text.find("the store breaks \"the store answers every request") == 0);
    CHECK(verified.text.find("shrunk from ") != std::string::npos);
    CHECK(verified.text.find("<-- differs") != std::string::npos);
    CHECK(verified.property == "the store answers every request as the rules allow");
    CHECK(verified.rules.contains(Rule::X1));
  }
}

TEST_CASE("a store that ends the process in the middle of a case does not hold, whatever it exits with") {
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

TEST_CASE("one call says of a sound store how much held") {
  for (const bool isolated : {true, false}) {
    const Verified verified = verify<Engine>({.seed = 1, .cases = 200, .longest_case = 20, .isolated = isolated});
    CHECK(verified.held);
    CHECK(verified.text.starts_with("held: 200 cases, "));
    CHECK(verified.trace.empty());
  }
}

TEST_CASE("a store is not asked for what it says it lacks, nor are laws tried that need it") {
  CHECK(verify<PlainEngine>({.cases = 300, .isolated = false}).held);
  CHECK(verify<PlainEngine>({.cases = 300}).held);
}

}  // namespace mayfly::test
