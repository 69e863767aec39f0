#include "mayfly/serve/query/patch.hpp"

#include <array>
#include <string>
#include <string_view>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "mayfly/sim/random.hpp"

namespace mayfly::test {

namespace {

namespace json = boost::json;

// The item after the operations, or the error message.
std::string patched(const std::string& item, const std::string& operations) {
  try {
    return json::serialize(serve::patched(json::parse(item).get_object(), json::parse(operations).get_array()));
  } catch (const serve::PatchError& error) {
    return error.what();
  }
}

// One operation: its fields.
std::string patched_by(const std::string& item, const std::string& fields) {
  return patched(item, "[{" + fields + "}]");
}

}  // namespace

TEST_CASE("add creates or replaces a property, and inserts into a list") {
  CHECK(patched_by(R"({"id":"1"})", R"("op":"add","path":"/a","value":{"b":1})") == R"({"id":"1","a":{"b":1}})");
  CHECK(patched_by(R"({"a":1,"z":2})", R"("op":"add","path":"/a","value":null)") == R"({"a":null,"z":2})");
  CHECK(patched_by(R"({"a":{"b":{}}})", R"("op":"add","path":"/a/b/c","value":1)") == R"({"a":{"b":{"c":1}}})");
  CHECK(patched_by(R"({"l":[1,2]})", R"("op":"add","path":"/l/0","value":0)") == R"({"l":[0,1,2]})");
  CHECK(patched_by(R"({"l":[1,2]})", R"("op":"add","path":"/l/2","value":3)") == R"({"l":[1,2,3]})");
  CHECK(patched_by(R"({"l":[1,2]})", R"("op":"add","path":"/l/-","value":3)") == R"({"l":[1,2,3]})");
  CHECK(patched_by(R"({"l":[{}]})", R"("op":"add","path":"/l/0/a","value":3)") == R"({"l":[{"a":3}]})");
  CHECK(patched_by(R"({"l":[1]})", R"("op":"add","path":"/l/2","value":3)") ==
        "patch operation 1: the list ends before 2");
  CHECK(patched_by(R"({})", R"("op":"add","path":"/a/b","value":1)") == "patch operation 1: \"a\" does not exist");
  CHECK(patched_by(R"({"a":1})", R"("op":"add","path":"/a/b","value":1)") ==
        "patch operation 1: \"a\" is neither an object nor a list");
}

TEST_CASE("set is as add, but replaces an element of a list") {
  CHECK(patched_by(R"({})", R"("op":"set","path":"/a","value":1)") == R"({"a":1})");
  CHECK(patched_by(R"({"a":2})", R"("op":"set","path":"/a","value":1)") == R"({"a":1})");
  CHECK(patched_by(R"({"l":[1,2]})", R"("op":"set","path":"/l/0","value":0)") == R"({"l":[0,2]})");
  CHECK(patched_by(R"({"l":[1,2]})", R"("op":"set","path":"/l/-","value":3)") == R"({"l":[1,2,3]})");
  CHECK(patched_by(R"({"l":[1]})", R"("op":"set","path":"/l/2","value":3)") ==
        "patch operation 1: the list ends before 2");
}

TEST_CASE("replace and remove require an existing property or element") {
  CHECK(patched_by(R"({"a":2})", R"("op":"replace","path":"/a","value":[1])") == R"({"a":[1]})");
  CHECK(patched_by(R"({"l":[1,2]})", R"("op":"replace","path":"/l/1","value":3)") == R"({"l":[1,3]})");
  CHECK(patched_by(R"({})", R"("op":"replace","path":"/a","value":1)") == "patch operation 1: \"a\" does not exist");
  CHECK(patched_by(R"({"l":[]})", R"("op":"replace","path":"/l/0","value":1)") ==
        "patch operation 1: \"0\" does not exist");
  CHECK(patched_by(R"({"a":1,"b":2,"c":3})", R"("op":"remove","path":"/a")") == R"({"b":2,"c":3})");
  CHECK(patched_by(R"({"l":[1,2,3]})", R"("op":"remove","path":"/l/1")") == R"({"l":[1,3]})");
  CHECK(patched_by(R"({})", R"("op":"remove","path":"/a")") == "patch operation 1: \"a\" does not exist");
  CHECK(patched_by(R"({"l":[1]})", R"("op":"remove","path":"/l/-")") == "patch operation 1: \"-\" does not exist");
}

TEST_CASE("incr adds to a number, or creates it") {
  CHECK(patched_by(R"({"n":2})", R"("op":"incr","path":"/n","value":-5)") == R"({"n":-3})");
  CHECK(patched_by(R"({"n":2})", R"("op":"increment","path":"/n","value":0.5)") == R"({"n":2.5E0})");
  CHECK(patched_by(R"({})", R"("op":"incr","path":"/n","value":7)") == R"({"n":7})");
  CHECK(patched_by(R"({"l":[1]})", R"("op":"incr","path":"/l/0","value":7)") == R"({"l":[8]})");
  CHECK(patched_by(R"({"n":9223372036854775807})", R"("op":"incr","path":"/n","value":1)") ==
        R"({"n":9.223372036854776E18})");
  CHECK(patched_by(R"({"n":"2"})", R"("op":"incr","path":"/n","value":1)") ==
        "patch operation 1: only numbers can be incremented");
  CHECK(patched_by(R"({"n":2})", R"("op":"incr","path":"/n","value":"1")") ==
        "patch operation 1: \"value\" must be a number");
  CHECK(patched_by(R"({"n":1.7e308})", R"("op":"incr","path":"/n","value":1.7e308)") ==
        "patch operation 1: the sum is too large");
}

TEST_CASE("move removes a value in one place and adds it in another") {
  CHECK(patched_by(R"({"a":{"b":1},"z":2})", R"("op":"move","from":"/a/b","path":"/c")") == R"({"a":{},"z":2,"c":1})");
  CHECK(patched_by(R"({"a":1,"b":2})", R"("op":"move","from":"/a","path":"/b")") == R"({"b":1})");
  CHECK(patched_by(R"({"a":1})", R"("op":"move","from":"/a","path":"/a")") == R"({"a":1})");
  CHECK(patched_by(R"({"l":[1,2,3]})", R"("op":"move","from":"/l/0","path":"/l/2")") == R"({"l":[2,3,1]})");
  CHECK(patched_by(R"({"l":[1],"a":{"x":1}})", R"("op":"move","from":"/a","path":"/l/0")") == R"({"l":[{"x":1},1]})");
  CHECK(patched_by(R"({})", R"("op":"move","from":"/a","path":"/b")") == "patch operation 1: \"a\" does not exist");
  CHECK(patched_by(R"({"a":{}})", R"("op":"move","from":"/a","path":"/a/b")") ==
        "patch operation 1: a value cannot be moved into itself");
  CHECK(patched_by(R"({"a":1})", R"("op":"move","path":"/b")") == "patch operation 1: \"from\" must be a string");
  CHECK(patched_by(R"({"id":"1"})", R"("op":"move","from":"/id","path":"/b")") ==
        "patch operation 1: \"id\" cannot be patched");
}

TEST_CASE("operations are applied in order, all of them or none") {
  CHECK(patched(R"({"a":1})", R"([{"op":"add","path":"/b","value":{}},{"op":"add","path":"/b/c","value":1},
                                  {"op":"remove","path":"/a"}])") == R"({"b":{"c":1}})");
  CHECK(patched(R"({})", R"([{"op":"add","path":"/a","value":1},{"op":"remove","path":"/b"}])") ==
        "patch operation 2: \"b\" does not exist");
  std::string ten = R"({"op":"incr","path":"/n","value":1})";
  for (int i = 1; i < 10; ++i) ten += R"(,{"op":"incr","path":"/n","value":1})";
  CHECK(patched("{}", "[" + ten + "]") == R"({"n":10})");
  CHECK(patched("{}", "[" + ten + "," + ten + "]") == "a patch has at most 10 operations, and this one 20");
  CHECK(patched("{}", "[]") == "a patch needs an operation");
}

TEST_CASE("W4: a ttl can be patched, the id and the service's properties cannot") {
  CHECK(patched_by(R"({"id":"1","ttl":5})", R"("op":"set","path":"/ttl","value":9)") == R"({"id":"1","ttl":9})");
  CHECK(patched_by(R"({"id":"1","ttl":5})", R"("op":"remove","path":"/ttl")") == R"({"id":"1"})");
  for (const std::string name : {"id", "_ts", "_etag", "_rid", "_self", "_attachments"})
    CHECK(patched_by(R"({"id":"1"})", R"("op":"set","path":"/)" + name + R"(","value":1)") ==
          "patch operation 1: \"" + name + "\" cannot be patched");
  CHECK(patched_by(R"({"a":{}})", R"("op":"set","path":"/a/id","value":1)") == R"({"a":{"id":1}})");
}

TEST_CASE("paths are JSON pointers") {
  CHECK(patched_by(R"({})", R"("op":"set","path":"/a~1b~0c","value":1)") == R"({"a/b~c":1})");
  CHECK(patched_by(R"({"":{}})", R"("op":"set","path":"//x","value":1)") == R"({"":{"x":1}})");
  CHECK(patched_by(R"({"1":{}})", R"("op":"set","path":"/1/-","value":1)") == R"({"1":{"-":1}})");
  for (const std::string path : {"", "/", "a", "a/b"})
    CHECK(patched_by(R"({})", R"("op":"set","path":")" + path + R"(","value":1)") ==
          "patch operation 1: a path starts with / and names a property");
  CHECK(patched_by(R"({})", R"("op":"set","path":"/a~2","value":1)") ==
        "patch operation 1: in a path, ~ is followed by 0 or 1");
  for (const std::string place : {"01", "x", "+1", "", "1x", "99999999999999999999"})
    CHECK(patched_by(R"({"l":[1,2]})", R"("op":"set","path":"/l/)" + place + R"(","value":1)") ==
          "patch operation 1: \"" + place + "\" is not an index in a list");
}

TEST_CASE("an invalid operation is refused") {
  CHECK(patched("{}", "[1]") == "patch operation 1: an operation is an object");
  CHECK(patched_by("{}", R"("path":"/a","value":1)") == "patch operation 1: \"op\" must be a string");
  CHECK(patched_by("{}", R"("op":"set","value":1)") == "patch operation 1: \"path\" must be a string");
  CHECK(patched_by("{}", R"("op":"set","path":"/a")") == "patch operation 1: \"value\" is missing");
  CHECK(patched_by("{}", R"("op":"test","path":"/a","value":1)") ==
        "patch operation 1: the operation \"test\" is not supported");
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "/a";
  CHECK(patched_by("{}", R"("op":"set","path":")" + deep + R"(","value":1)") ==
        "patch operation 1: a path has more than 128 steps");
}

TEST_CASE("any patch is applied or refused") {
  constexpr std::array<std::string_view, 7> kinds{"add", "set", "replace", "remove", "incr", "move", ""};
  constexpr std::array<std::string_view, 10> steps{"/a", "/l", "/n", "/0", "/1", "/-", "/", "/~0", "/9", "x"};
  constexpr std::array<std::string_view, 6> values{"1", "0.5", "null", "[]", R"({"a":[1]})", "\"x\""};
  int done = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Random random(seed);
    std::string operations;
    for (std::uint64_t i = 1 + random.below(4); i > 0; --i) {
      std::string path;
      for (std::uint64_t length = 1 + random.below(3); length > 0; --length) path += steps[random.below(steps.size())];
      const auto kind = kinds[random.below(kinds.size())];
      const auto value = values[random.below(values.size())];
      operations +=
          fmt::format(R"({}{{"op":"{}","path":"{}","value":{}}})", operations.empty() ? "" : ",", kind, path, value);
    }
    const std::string result = patched(R"({"id":"1","n":1,"a":{"l":[1]},"l":[1,{"a":2}]})", "[" + operations + "]");
    if (result.starts_with(R"({"id":"1")"))
      ++done;
    else
      REQUIRE(result.starts_with("patch operation "));
  }
  CHECK(done > 500);  // otherwise the test would only check refusals
}

}  // namespace mayfly::test
