#include "mayfly/props/explore/explore.hpp"

#include <csignal>
#include <cstdlib>
#include <set>
#include <stdexcept>

#include <doctest/doctest.h>

#include "mayfly/props/defects/defective_store.hpp"
#include "mayfly/props/explore/isolated_search.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "shorthand.hpp"

namespace mayfly::test {

namespace {

using End = Exploration::End;

template <class S>
Exploration explored(const Scope& scope, const ExploreLimits& limits = {}) {
  return Explorer<S>(scope, limits).run();
}

void check_closed(const Exploration& result, std::size_t depth, std::size_t states, std::uint64_t transitions) {
  CHECK(result.end == End::closed);
  CHECK(!result.failure);
  CHECK(result.depth == depth);
  CHECK(result.states == states);
  CHECK(result.transitions == transitions);
}

/// The keywords of the shortest trace that shows the defect.
std::string shortest_trace(Defect defect) {
  const auto result = Explorer({.margin = Seconds{1}}, {.depth = 5}, DefectiveStore(defect)).run();
  if (result.end != End::violation || !result.failure) return "";
  std::string trace;
  for (const auto& step : result.failure->test_case.steps)
    trace += std::string(trace.empty() ? "" : " ") + std::string(keywords[step.operation.index()]);
  return trace;
}

std::string encoded_writes(Instant now, std::initializer_list<std::int64_t> seconds) {
  StateEncoder state(Seconds{2});
  state.begin(now);
  for (const auto second : seconds) state.ts(at(second));
  return std::string(state.finish());
}

}  // namespace

TEST_CASE("the default scope is closed: engine and reference agree on every sequence of its operations") {
  check_closed(explored<Engine>({}), 12, 20'201, 1'111'055);
}

TEST_CASE("scopes with lazy collections, and with several collections, are closed") {
  check_closed(explored<Engine>({.documents = 1, .lazy = true}), 8, 693, 31'185);
  check_closed(explored<Engine>({.collections = 2,
                                 .documents = 1,
                                 .ttls = {Absent{}, std::int64_t{1}},
                                 .defaults = {Absent{}, std::int64_t{1}},
                                 .steps = {Seconds{1}}}),
               14, 2'233, 96'019);
}

TEST_CASE("a lazy scope with two documents has no violation as far as it is searched") {
  const auto result = explored<Engine>({.lazy = true}, {.depth = 4});
  CHECK(result.end == End::depth);
  CHECK(result.depth == 4);
}

TEST_CASE("a scope has every operation but held, and reads first") {
  const auto alphabet = alphabet_of({.lazy = true});
  std::set<std::size_t> kinds;
  for (const auto& operation : alphabet) kinds.insert(operation.index());
  CHECK(kinds.size() ==
        std::variant_size_v<Operation> - 1);  // the number of held documents is not part of the merged states
  CHECK(std::holds_alternative<ReadCollection>(alphabet.front()));
}

TEST_CASE("a defect comes with a shortest trace") {
  CHECK(shortest_trace(Defect::ghosts_readable) == "create_collection create advance read");
  CHECK(shortest_trace(Defect::patch_keeps_ts) == "create_collection create advance patch");
  CHECK(shortest_trace(Defect::read_touches) == "create_collection create advance read query");
  CHECK(shortest_trace(Defect::revived_by_off) == "create_collection create advance replace_collection query");
  CHECK(shortest_trace(Defect::ttl_charged) == "");  // agreement ignores charges: laws check them
}

TEST_CASE("a stopped search reports what it covered") {
  const auto shallow = explored<Engine>({}, {.depth = 3});
  CHECK(shallow.end == End::depth);
  CHECK(shallow.depth == 3);

  const auto small = explored<Engine>({}, {.memory = 4 << 20});
  CHECK(small.end == End::memory);
  CHECK(small.states > 100);

  int asked = 0;
  const auto stopped = explored<Engine>({}, {.stop = [&](const Exploration&) { return ++asked > 10; }});
  CHECK(stopped.end == End::stopped);
  CHECK(stopped.depth == 2);
  CHECK(stopped.transitions == 10 * alphabet_of({}).size());
}

TEST_CASE("a search in a child process covers the same") {
  InProcess<Engine> engine("engine");
  check_closed(explore_isolated({}, {.depth = greatest_depth}, explored<Engine>, engine, 10), 12, 20'201, 1'111'055);
  const ExploreLimits at_once{.depth = greatest_depth, .stop = [](const Exploration&) { return true; }};
  CHECK(explore_isolated({.documents = 8}, at_once, explored<Engine>, engine, 10).end == End::stopped);
}

TEST_CASE("a search that dies without a fault of the store proves nothing, and blames no property") {
  InProcess<Engine> engine("engine");
  const auto dying_by = [&](void (*die)()) {
    const Search search = [&](const Scope& scope, ExploreLimits limits) {
      limits.stop = [&, go_on = limits.stop](const Exploration& so_far) {
        if (so_far.depth == 2) die();
        return go_on(so_far);
      };
      return explored<Engine>(scope, limits);
    };
    explore_isolated({}, {.depth = greatest_depth}, search, engine, 10);
  };
  const std::string repeats = " at depth 1, and no operation on the store reproduces that";
  CHECK_THROWS_WITH_AS(dying_by([] { std::raise(SIGKILL); }),
                       ("the search crashed with SIGKILL (signal 9)" + repeats).c_str(), std::runtime_error);
  CHECK_THROWS_WITH_AS(dying_by([] { std::_Exit(0); }), ("the search exited with status 0" + repeats).c_str(),
                       std::runtime_error);
}

TEST_CASE("states are equal under a shift in time, and old seconds count by their order") {
  CHECK(encoded_writes(at(100), {99, 100}) == encoded_writes(at(7), {6, 7}));
  CHECK(encoded_writes(at(100), {99, 100}) != encoded_writes(at(100), {100, 99}));
  CHECK(encoded_writes(at(100), {98, 50, 50}) == encoded_writes(at(100), {97, 3, 3}));
  CHECK(encoded_writes(at(100), {98, 50, 50}) != encoded_writes(at(100), {98, 50, 51}));
  CHECK(encoded_writes(at(100), {98}) != encoded_writes(at(100), {99}));
}

TEST_CASE("visited states are stored completely, with the path that led to them") {
  VisitedStates visited;
  CHECK(visited.add("first", 0, 0));
  CHECK(visited.add("second", 0, 3));
  CHECK(visited.add(std::string(100'000, 'x'), 1, 5));
  CHECK(!visited.add("second", 2, 7));
  CHECK(visited[1] == "second");
  CHECK(visited.path_to(2) == std::vector<VisitedStates::Step>{3, 5});
  CHECK(visited.memory() > 100'000);
}

}  // namespace mayfly::test
