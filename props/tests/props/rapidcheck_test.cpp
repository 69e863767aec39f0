#include "mayfly/props/rapidcheck.hpp"

#include <algorithm>
#include <iostream>
#include <set>
#include <sstream>

#include <doctest/doctest.h>

#include "mayfly/props/defects/defective_store.hpp"
#include "mayfly/props/property/check.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/shrink/passes.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "mayfly/sim/trace.hpp"

// RapidCheck's view of cases: sized, printed and shrunk. rapidcheck.sh tests its output.

namespace mayfly::test {

namespace {

/// The lengths of cases of this size, sorted.
std::vector<std::size_t> lengths(const rc::Gen<Case>& gen, int size) {
  std::vector<std::size_t> all;
  rc::Random random(1);
  for (int i = 0; i < 2'000; ++i) all.push_back(gen(random.split(), size).value().steps.size());
  std::sort(all.begin(), all.end());
  return all;
}

/// Neither has patches, a purge, a lazy index nor prices; one is late.
struct Plain : Engine {
  static constexpr Features features = BasicStore::features;
};
struct LatePlain : DefectiveStore {
  static constexpr Features features = BasicStore::features;
  LatePlain() : DefectiveStore(Defect::expires_late) {}
};

/// The output on the standard error while this object lives.
class Printed {
 public:
  ~Printed() { std::cerr.rdbuf(before_); }
  std::string text() const { return text_.str(); }
  bool has(const std::string& part) const { return text().find(part) != std::string::npos; }

 private:
  std::ostringstream text_;
  std::streambuf* before_ = std::cerr.rdbuf(text_.rdbuf());
};

}  // namespace

TEST_CASE("RapidCheck's size scales the length of cases, up to the usual one at 100") {
  const auto gen = rc::gen::arbitrary<Case>();
  CHECK(lengths(gen, 0).back() == 1);
  const auto short_ones = lengths(gen, 10);
  CHECK(short_ones[short_ones.size() / 2] >= 4);
  CHECK(short_ones[short_ones.size() * 9 / 10] <= 10);
  CHECK(short_ones.back() > 10);
  CHECK(short_ones.back() <= 200);
  const auto usual_ones = lengths(gen, 100);
  CHECK(usual_ones[usual_ones.size() / 2] >= 40);
  CHECK(usual_ones[usual_ones.size() * 9 / 10] <= 100);
  CHECK(usual_ones.back() > 200);
  CHECK(lengths(gen, 1'000) == usual_ones);
  CHECK(lengths(rc::gen::resize(10, gen), 100) == short_ones);
}

TEST_CASE("the size scales cases of any world") {
  const auto gen = cases({.longest_case = 30});
  CHECK(lengths(gen, 0).back() == 1);
  CHECK(lengths(gen, 10).back() == 3);
  CHECK(lengths(gen, 100).back() == 30);
}

TEST_CASE("at size 100 a case is the generator's, from one draw") {
  rc::Random random(7);
  const auto seed = rc::Random(random).next();
  CHECK(cases()(random, 100).value() == generate(seed, {}));
  CHECK(rc::gen::arbitrary<Case>()(random, 100).value() == generate(seed, {}));
}

TEST_CASE("RapidCheck shows a case as lines of a trace, also within its parentheses") {
  const Case test_case = generate(3, {.longest_case = 20});
  const std::string text = rc::toString(test_case);
  CHECK(text == "\n" + trace_text(test_case));
  CHECK(rc::toString(std::tuple(test_case)) == "(" + text + ")");
  std::istringstream in(text);
  const auto read = read_trace(in, "shown");
  REQUIRE(read.size() == 1);
  CHECK(read.front().without_expectations() == test_case);
}

TEST_CASE("a case shrinks to every simpler case that a pass makes of it") {
  const rc::Shrinkable<Case> first = cases({.longest_case = 20})(rc::Random(1), 100);
  const rc::Shrinkable<Case> later = *rc::seq::at(first.shrinks(), 30);  // begins elsewhere among the passes
  for (const auto& larger : {first, later}) {
    std::multiset<std::string> simpler, shrunk;
    for (const Pass pass : passes())
      for (const Change& change : pass(larger.value())) {
        Case changed = larger.value();
        change(changed);
        if (complexity(changed) < complexity(larger.value())) simpler.insert(trace_text(changed));
      }
    rc::seq::forEach(rc::shrinkable::immediateShrinks(larger),
                     [&](const Case& smaller) { shrunk.insert(trace_text(smaller)); });
    CHECK(shrunk == simpler);
    CHECK(shrunk.size() > larger.value().steps.size());
  }
}

TEST_CASE("a case of up to 2,000 operations shrinks to a few within 500 runs") {
  InProcess<DefectiveStore> late("late store", Audit::never, DefectiveStore(Defect::expires_late));
  const auto long_cases = cases({.one_is_long_in = 1});
  rc::Random random(1);
  for (int i = 0; i < 20; ++i) {
    int runs = 0;
    const auto fails = [&](const Case& test_case) {
      ++runs;
      return check(agrees_unwatched(), test_case, late).has_value();
    };
    const auto [smallest, steps] = rc::shrinkable::findLocalMin(long_cases(random.split()), fails);
    CHECK(smallest.steps.size() <= 6);
    CHECK(runs <= 500);
  }
}

TEST_CASE("a store without all features is checked on the supported operations of each case") {
  const Printed printed;
  rc::Random random(1);
  int broken = 0;
  for (int i = 0; i < 50; ++i) broken += keeps_the_rules<LatePlain>(cases()(random.split()).value()) ? 0 : 1;
  CHECK(broken > 10);
  CHECK(printed.has("the store breaks \"the store answers every request as the rules allow\"\nasked     {\"op\":"));
}

TEST_CASE("a store is checked under its name, on every property that applies to it") {
  const Printed printed;
  CHECK(check_every_property<Engine>("engine"));
  CHECK(check_every_property<Plain>("plain store"));
  const auto is_checked = [&](const std::string& store, const Property& property) {
    return printed.has("- " + store + ": " + std::string(property.name) + "\n");
  };
  for (const Property& property : all_properties()) {
    CAPTURE(property.name);
    CHECK(is_checked("engine", property));
    CHECK(is_checked("plain store", property) == has(Plain::features, property.needs()));
  }
}

}  // namespace mayfly::test
