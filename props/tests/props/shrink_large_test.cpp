#include <set>

#include <doctest/doctest.h>

#include "large_faults.hpp"
#include "mayfly/props/property/check.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/props/shrink/minimise.hpp"
#include "mayfly/props/shrink/texts.hpp"
#include "mayfly/sim/trace.hpp"
#include "mayfly/sim/utf8.hpp"
#include "shorthand.hpp"

namespace mayfly::test {

namespace {

constexpr std::size_t most_runs_of_large = 1'500;

/// What cases of three seeds shrink to, which is the same.
template <class Store>
Case shrunk(Case (*make)(std::uint64_t)) {
  InProcess<Store> subject("store");
  std::set<std::string> traces;
  Case smallest;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Case test_case = make(seed);
    auto violation = check(agrees_unwatched(), test_case, subject);
    REQUIRE(violation);
    const Failure failure{&agrees_unwatched(), std::move(test_case), std::move(*violation)};
    const Minimised result = minimise(failure, subject, [] { return false; });
    CHECK(result.is_minimal);
    CHECK(result.runs <= most_runs_of_large);
    smallest = result.failure.test_case;
    CHECK(check(agrees_unwatched(), smallest, subject));
    traces.insert(trace_text(smallest));
  }
  CHECK(traces.size() == 1);
  return smallest;
}

template <class Kind>
std::size_t count_of(const Case& test_case) {
  return static_cast<std::size_t>(std::count_if(test_case.steps.begin(), test_case.steps.end(), [](const Step& step) {
    return std::holds_alternative<Kind>(step.operation);
  }));
}

}  // namespace

TEST_CASE("a crowd shrinks to the fewest documents that fail, numbered from the first") {
  const Case smallest = shrunk<SmallPage>(crowd);
  REQUIRE(smallest.steps.size() == 1 + SmallPage::page + 1 + 1);
  CHECK(smallest.steps.front() == Step{CreateCollection{{"c0", {}}}});
  for (std::size_t i = 0; i <= SmallPage::page; ++i)
    CHECK(smallest.steps[1 + i] == Step{Create{{{"c0", "p0", "d" + std::to_string(i)}, {}}}});
  CHECK(smallest.steps.back() == Step{Query{{"c0", {}}}});
}

TEST_CASE("tens of collections shrink to as many as it takes") {
  const Case smallest = shrunk<FewCollections>(many_names);
  CHECK(smallest.steps.size() == FewCollections::most + 1);
  CHECK(count_of<CreateCollection>(smallest) == smallest.steps.size());
}

TEST_CASE("a long history shrinks to as many writes of one document as it takes") {
  const Case writes = shrunk<WritesRunOut>(long_history);
  CHECK(count_of<Upsert>(writes) == WritesRunOut::most_writes + 1);
  CHECK(writes.steps.size() == 1 + WritesRunOut::most_writes + 1);
  const Case changes = shrunk<SettingsRunOut>(long_history);
  CHECK(changes.steps.size() == 1 + SettingsRunOut::most_times + 1);
}

TEST_CASE("operations that are repeated in turn are removed in turn") {
  const Case smallest = shrunk<CreatesRunOut>(long_history);
  CHECK(count_of<Create>(smallest) == CreatesRunOut::most_times + 1);
  CHECK(count_of<Delete>(smallest) == CreatesRunOut::most_times);
  CHECK(smallest.steps.size() == 1 + 2 * CreatesRunOut::most_times + 1);
}

TEST_CASE("names that have to differ in one character shrink to it") {
  const Case smallest = shrunk<TrimsIds>(many_names);
  REQUIRE(smallest.steps.size() == 3);
  CHECK(smallest.steps[1] == Step{Create{{d0, {}}}});
  CHECK(smallest.steps[2] == Step{Create{{{"c0", "p0", "d0 "}, {}}}});
}

TEST_CASE("names that meet only together shrink together") {
  InProcess<JoinsNames> subject("store");
  Case test_case = many_names(1);
  auto violation = check(agrees_unwatched(), test_case, subject);
  REQUIRE(violation);
  const Minimised result =
      minimise({&agrees_unwatched(), test_case, std::move(*violation)}, subject, [] { return false; });
  CHECK(result.runs <= most_runs_of_large);
  std::size_t length = 0;
  for (const auto& step : result.failure.test_case.steps)
    if (const auto* key = key_of(step.operation)) length += key->partition.size() + key->id.size();
  CHECK(length <= 16);
}

TEST_CASE("a value shrinks to the length that fails, in tens of runs") {
  InProcess<ShortValues> subject("store");
  const Case long_value{{},
                        {CreateCollection{{"c0", {.default_ttl = std::int64_t{-1}}}},
                         Create{{d0, {{}, std::string(500'000, 'x') + "\xC3\xA9\n" + std::string(500'000, 'y')}}}}};
  auto violation = check(agrees_unwatched(), long_value, subject);
  REQUIRE(violation);
  const Minimised result =
      minimise({&agrees_unwatched(), long_value, std::move(*violation)}, subject, [] { return false; });
  CHECK(result.runs <= 100);
  const auto& value = std::get<Create>(result.failure.test_case.steps.back().operation).content.value;
  CHECK(value == std::string(ShortValues::longest + 1, 'a'));
  CHECK(shrunk<ShortValues>(many_values).steps.size() == 2);
}

TEST_CASE("a usual name is simplest by its number, any other by its length and its characters") {
  const std::vector<std::vector<std::string>> orders{
      {"d0", "d1", "d9", "d16", "d1000", "", "a", "0", "A", " ", "\xC3\xA9", "b", "/", "\n", "\xF0\x9F\x98\x80"},
      {"d1000", "a", "aa", "a0", "d01", std::string(32, 'a'), std::string(1'000, 'a')}};
  for (const auto& texts : orders)
    for (std::size_t i = 1; i < texts.size(); ++i) {
      CAPTURE(texts[i]);
      CHECK(text_cost('d', texts[i - 1]) < text_cost('d', texts[i]));
    }
  CHECK(text_cost('d', "c0") > text_cost('d', "d999999"));
}

TEST_CASE("characters are those of UTF-8, and bytes that are none") {
  const std::string text = "a\xC3\xA9\xF0\x9F\x98\x80\xFF\xC3";
  const auto characters = characters_of(text);
  REQUIRE(characters.size() == 5);
  CHECK(characters[1] == "\xC3\xA9");
  CHECK(characters[2].size() == 4);
  CHECK(characters[4] == "\xC3");
}

}  // namespace mayfly::test
