#include "mayfly/sim/limits.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "mayfly/sim/features.hpp"
#include "mayfly/sim/json.hpp"
#include "shorthand.hpp"

// Names and values that a store refuses by its nature are not sent.

namespace mayfly::test {

namespace {

Limits limits_in(const char* text) { return parse_limits(boost::json::parse(text)); }

std::string complaint(const char* text) {
  try {
    limits_in(text);
    return "none";
  } catch (const InputError& error) {
    return error.what();
  }
}

Read read_of(std::string id) { return Read{{{"c0", "p0", std::move(id)}}}; }

}  // namespace

TEST_CASE("limits are read and written, and what is not stated has none") {
  const Limits stated{.collection_bytes = 255,
                      .partition_bytes = 2048,
                      .id_bytes = 1023,
                      .value_bytes = 65536,
                      .min_bytes = 1,
                      .forbidden = std::string("/\\\0\xc3\xa9", 5)};
  CHECK(parse_limits(to_json(stated)) == stated);
  CHECK(to_line(to_json(stated)) ==
        R"({"collection_bytes":255,"partition_bytes":2048,"id_bytes":1023,"value_bytes":65536,"min_bytes":1,)"
        "\"forbidden\":\"/\\\\\\u0000\xc3\xa9\"}");
  CHECK(limits_in("{}") == Limits{});
  CHECK(to_json(Limits{}).empty());
  CHECK(limits_in(R"({"id_bytes":16})") == Limits{.id_bytes = 16});
}

TEST_CASE("invalid limits get one clear message, and the usual names are within all limits") {
  const std::pair<const char*, const char*> complaints[]{
      {"[]", "must be an object, got []"},
      {R"({"id_byte":255})", "unknown field \"id_byte\""},
      {R"({"id_bytes":"255"})", "\"id_bytes\" must be a whole number 0..9007199254740991, got \"255\""},
      {R"({"id_bytes":-1})", "\"id_bytes\" must be a whole number 0..9007199254740991, got -1"},
      {R"({"id_bytes":null})", "\"id_bytes\" must be a whole number 0..9007199254740991, got null"},
      {R"({"partition_bytes":15})", "\"partition_bytes\" must be at least 16, got 15"},
      {R"({"value_bytes":0})", "\"value_bytes\" must be at least 16, got 0"},
      {R"({"min_bytes":3})", "\"min_bytes\" must be at most 2, got 3"},
      {R"({"forbidden":["/"]})", "\"forbidden\" must be a string, got [\"/\"]"},
      {R"({"forbidden":"/c"})", "\"forbidden\" must leave the letters a to z and the digits, got \"/c\""},
  };
  for (const auto& pair : complaints) {
    CAPTURE(pair.first);
    CHECK(complaint(pair.first) == pair.second);
  }
}

TEST_CASE("a name is within limits that it does not exceed, byte for byte") {
  const Limits limits{.id_bytes = 16, .min_bytes = 1, .forbidden = "/\xc3\xa9\xf0\x9f\x98\x80"};
  const auto is_in = [&](std::string id) { return is_within(limits, read_of(std::move(id))); };
  CHECK(is_in("a"));
  CHECK_FALSE(is_in(""));
  CHECK(is_in(std::string(16, 'x')));
  CHECK_FALSE(is_in(std::string(17, 'x')));
  CHECK_FALSE(
      is_in("\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"));  // six times three bytes
  CHECK_FALSE(is_in("a/b"));
  CHECK_FALSE(is_in("caf\xc3\xa9"));
  CHECK(is_in("cafe\xcc\x81"));  // the same in another form: e and an accent
  CHECK(is_in("\xc3\xa8"));      // shares its first byte with what is forbidden
  CHECK_FALSE(is_in("\xf0\x9f\x98\x80"));
  CHECK(is_within(Limits{.forbidden = std::string(1, '\0')}, read_of("a b")));
  CHECK_FALSE(is_within(Limits{.forbidden = std::string(1, '\0')}, read_of(std::string("a\0b", 3))));
}

TEST_CASE("each limit counts for its own names, and a value has no forbidden characters") {
  const std::string long_one(20, 'x');
  const Limits collection{.collection_bytes = 16}, partition{.partition_bytes = 16}, value{.value_bytes = 16};
  const Operation of_collection = ReadCollection{{long_one}}, of_partition = Query{{"c0", long_one}},
                  of_value = PatchDocument{d0, {.value = long_one}}, of_create = Create{{d0, {.value = long_one}}};
  for (const Operation& operation : {of_collection, of_partition, of_value, of_create}) {
    CHECK(is_within(Limits{}, operation));
    CHECK(is_within(Limits{.id_bytes = 16}, operation));
    CHECK(is_within(collection, operation) == (operation != of_collection));
    CHECK(is_within(partition, operation) == (operation != of_partition));
    CHECK(is_within(value, operation) == (operation == of_collection || operation == of_partition));
  }
  const Limits strict{.min_bytes = 1, .forbidden = "/"};
  CHECK(is_within(strict, Create{{d0, {.value = "/"}}}));
  CHECK(is_within(strict, Create{{d0, {}}}));
  CHECK(is_within(strict, Query{{"c0", {}}}));
  CHECK_FALSE(is_within(strict, Query{{"c0", ""}}));
  CHECK(is_within(strict, Advance{Seconds{1}}));
}

TEST_CASE("steps beyond the limits are left out of a case, and nothing else") {
  const Features features{.limits = {.id_bytes = 16, .min_bytes = 1}};
  const Step good = Upsert{{d0, {}}}, empty = read_of(""), long_one = read_of(std::string(17, 'x'));
  const Case test_case{{}, {good, empty, Advance{Seconds{1}}, long_one, good}};
  CHECK(within(features, test_case).steps == std::vector<Step>{good, Advance{Seconds{1}}, good});
  CHECK_FALSE(can_run(features, test_case));
  CHECK(can_run(features, within(features, test_case)));
  CHECK(within({}, test_case) == test_case);
}

TEST_CASE("names and values beyond the limits are described in words") {
  CHECK(beyond({}).empty());
  CHECK(beyond({.collection_bytes = 255,
                .partition_bytes = 2048,
                .id_bytes = 1023,
                .value_bytes = 16,
                .min_bytes = 1,
                .forbidden = std::string("/ \\\0\n\xc3\xa9", 7)}) ==
        std::vector<std::string>{"names of collections of more than 255 bytes",
                                 "names of partitions of more than 2048 bytes", "ids of more than 1023 bytes",
                                 "values of more than 16 bytes", "empty names",
                                 "names with any of / space \\ \\u0000 \\n \xc3\xa9"});
  CHECK(beyond({.min_bytes = 2}) == std::vector<std::string>{"names of less than 2 bytes"});
}

}  // namespace mayfly::test
