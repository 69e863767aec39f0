#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "mayfly/model/reference.hpp"
#include "mayfly/props/defects/catalogue.hpp"
#include "mayfly/props/generate/generate.hpp"
#include "mayfly/props/property/check.hpp"
#include "mayfly/props/property/decisive.hpp"
#include "mayfly/props/property/properties.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "mayfly/sim/json.hpp"
#include "mayfly/sim/trace.hpp"
#include "shorthand.hpp"

// Names are sequences of code points, and equal only if they are the same sequence (C1).

namespace mayfly::test {

namespace {

/// Two names that some store takes for one.
using Pair = std::pair<std::string, std::string>;

const std::string sixty_four(64, 'x');

const std::vector<Pair> pairs{{"a", "A"},
                              {"a", "a "},
                              {"\xc3\xa9", "e\xcc\x81"},
                              {"1", "01"},
                              {sixty_four + "a", sixty_four + "b"},
                              {std::string("a\0b", 3), "a"},
                              {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x81"},
                              {"a/b", "b"},
                              {"", "\n"},
                              {"\xd7\x90", "\xe2\x80\xae\xd7\x90"},
                              {R"(","id":")", R"(\)"}};

/// The case with a pair in place of the first two names of each kind. Requires usual names.
Case renamed(Case test_case, const Pair& pair) {
  const auto rename = [&](std::string& name) {
    if (name.ends_with('0'))
      name = pair.first;
    else if (name.ends_with('1'))
      name = pair.second;
  };
  for (auto& step : test_case.steps)
    for_each_field(step.operation, [&](std::string_view field, auto& value) {
      if constexpr (std::is_same_v<decltype(value), std::string&>)
        if (field != "value") rename(value);
      if constexpr (std::is_same_v<decltype(value), std::optional<std::string>&>)
        if (field == "partition" && value) rename(*value);
    });
  return test_case;
}

/// A partition and an id that are another pair's once they are joined.
Case joined(Case test_case, const std::string& separator) {
  for (auto& step : test_case.steps)
    for_each_field(step.operation, [&](std::string_view field, auto& value) {
      if constexpr (std::is_same_v<decltype(value), std::string&>) {
        if (field == "partition") value = value == "p0" ? "a" : "a" + separator + "b";
        if (field == "id") value = value == "d0" ? "b" + separator + "c" : "c";
      }
    });
  return test_case;
}

bool is_caught(Subject& subject, const Case& test_case) {
  return check(agrees_unwatched(), test_case, subject).has_value();
}

/// The first of some random cases to catch the defect, with these names.
template <class Rename>
bool is_caught_with(Defect defect, Rename rename) {
  auto subject = store_with(defect);
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    if (is_caught(subject, rename(generate(seed, {})))) return true;
  return false;
}

}  // namespace

TEST_CASE("C1: each defect of names is caught with names that it takes for one, and never with the usual ones") {
  for (const auto& text : all_defects()) {
    if (text.world != "names") continue;
    CAPTURE(text.id);
    const Defect defect = text.defect;
    CHECK(text.rule() == Rule::C1);
    CHECK_FALSE(is_caught_with(defect, [](Case usual) { return usual; }));
    bool by_pair = false;
    for (const Pair& pair : pairs)
      by_pair |= is_caught_with(defect, [&](Case c) { return renamed(std::move(c), pair); });
    const bool by_slash = is_caught_with(defect, [](Case c) { return joined(std::move(c), "/"); });
    const bool by_nothing = is_caught_with(defect, [](Case c) { return joined(std::move(c), ""); });
    CHECK((by_pair || by_slash || by_nothing));
    CHECK(by_slash == (defect == Defect::joined_by_slash));
    CHECK(by_nothing == (defect == Defect::joined_by_nothing));
  }
}

TEST_CASE("C1: reference and engine agree on names that a careless store takes for one") {
  InProcess<Engine> engine("engine", Audit::every_operation);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Case usual = generate(seed, {});
    for (const Pair& pair : pairs) CHECK_FALSE(check(all_properties()[0], renamed(usual, pair), engine));
    for (const char* separator : {"/", ":", "|", ",", "\n", ""})
      CHECK_FALSE(is_caught(engine, joined(usual, separator)));
  }
}

TEST_CASE("C1: names and values are written and read back code point by code point, on the wire and in traces") {
  std::vector<std::string> names{"",
                                 std::string(1, '\0'),
                                 std::string("a\0b", 3),
                                 "\xef\xbb\xbf"
                                 "a",
                                 "\xe2\x80\xa8",
                                 "\x7f",
                                 "\xf4\x8f\xbf\xbf"};
  for (const auto& [first, second] : pairs) names.insert(names.end(), {first, second});
  for (const auto& name : names) {
    const Step written = Create{{{name, name, name}, {.ttl = {}, .value = name}}};
    const Outcome answer{.status = Status::created, .document = Document{name, name, name, at(5), {}}};
    std::string request, text;
    append_line(request, Request{written});
    append_line(text, answer);
    CHECK(parse_request(parse_object(request)) == Request{written});
    CHECK(parse_answer(boost::json::parse(text)) == answer);
    CHECK(request.find('\n') == std::string::npos);  // a line is a line
    const Case test_case{at(0), {written, Query{{name, name}}}};
    std::istringstream trace(trace_text(test_case));
    CHECK(read_trace(trace, "trace").front().without_expectations() == test_case);
  }
}

TEST_CASE("C1 decides where a name is not a usual one and there is another that it may be taken for") {
  ReferenceStore store;
  const auto decides = [&](const Operation& operation) {
    return decisive_rules(store, at(0), operation).contains(Rule::C1);
  };
  const DocumentKey odd{"c0", "p0", "D0"};
  store.create_collection(at(0), "c0", {});
  CHECK_FALSE(decides(Read{{odd}}));
  store.create(at(0), d0, {});
  CHECK(decides(Read{{odd}}));
  CHECK_FALSE(decides(Read{{{"c0", "p0", "d1"}}}));
  CHECK_FALSE(decides(Read{{{"c0", "p0", "d10"}}}));
  CHECK(decides(Read{{{"c0", "p0", "d01"}}}));
  CHECK(decides(Read{{{"c0", "", "d0"}}}));
  CHECK(decides(ReadCollection{{"C0"}}));
  CHECK(decides(CreateCollection{{"c0 ", {}}}));
  CHECK_FALSE(decides(CreateCollection{{"c1", {}}}));
  CHECK_FALSE(decides(Query{{"c0", {}}}));
  store.create(at(0), odd, {});
  CHECK(decides(Query{{"c0", {}}}));
}

}  // namespace mayfly::test
