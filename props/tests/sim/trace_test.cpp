#include "mayfly/sim/trace.hpp"

#include <sstream>

#include <doctest/doctest.h>

#include "mayfly/props/generate/generate.hpp"
#include "mayfly/sim/input_error.hpp"

namespace mayfly::test {

namespace {

std::vector<TraceCase> read(const std::string& text) {
  std::istringstream in(text);
  return read_trace(in, "t.jsonl");
}

std::string trace_complaint(const std::string& text) {
  try {
    read(text);
    return "none";
  } catch (const InputError& error) {
    return error.what();
  }
}

const std::string reset = "{\"op\":\"reset\",\"now\":5}\n";

bool meets(const std::string& expect, const Outcome& outcome) {
  return read(reset + R"({"op":"advance","seconds":0,"expect":)" + expect + "}")
      .front()
      .steps.front()
      .expect->is_met_by(outcome);
}

}  // namespace

TEST_CASE("a case written as a trace is read back as the same case") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Case test_case = generate(seed, {});
    const auto cases = read(trace_text(test_case));
    REQUIRE(cases.size() == 1);
    CHECK(cases.front().without_expectations() == test_case);
  }
}

TEST_CASE("a trace may hold several cases, blank lines and Windows line ends") {
  const auto cases =
      read("{\"op\":\"hello\",\"protocol\":1}\n" + reset + "\n" + "{\"op\":\"advance\",\"seconds\":1}\r\n" + reset);
  REQUIRE(cases.size() == 2);
  CHECK(cases[0].steps.size() == 1);
  CHECK(cases[0].steps[0].line == 4);
  CHECK(cases[1].steps.empty());
}

TEST_CASE("a trace may begin with a byte order mark") {
  CHECK(read("\xEF\xBB\xBF" + reset).size() == 1);
  CHECK(trace_complaint(reset + "\xEF\xBB\xBF" + reset) == "t.jsonl:2: not JSON: syntax error");
}

TEST_CASE("bad traces get one message that names the place") {
  CHECK(trace_complaint("") == "t.jsonl:1: the trace is empty");
  CHECK(trace_complaint("\n\n") == "t.jsonl:1: the trace is empty");
  CHECK(trace_complaint("{\"op\":\"advance\",\"seconds\":1}\n") == "t.jsonl:1: a case begins with a reset");
  CHECK(trace_complaint(reset + "{\"op\":\"jump\"}\n") == "t.jsonl:2: unknown operation \"jump\"");
  CHECK(trace_complaint(reset + "{\"op\":\"advance\"}\n") == "t.jsonl:2: advance: \"seconds\" is missing");
  CHECK(trace_complaint(reset + "{\"op\":\"advance\",\"seconds\":1,\"expect\":5}\n") ==
        "t.jsonl:2: \"expect\" must be an object");
  CHECK(trace_complaint(reset + "{\"op\":\"advance\",\"seconds\":1,\"expect\":{\"statuz\":5}}\n") ==
        "t.jsonl:2: expect: unknown field \"statuz\"");
  for (const std::string nothing : {"{}", "{\"error\":\"gone\"}"})
    CHECK(trace_complaint(reset + "{\"op\":\"advance\",\"seconds\":1,\"expect\":" + nothing + "}\n") ==
          "t.jsonl:2: expect: contains no field to compare");
  CHECK(trace_complaint(reset + "{\"op\":\"advance\",\"seconds\":1,\"seconds\":2}\n") ==
        "t.jsonl:2: a field occurs twice");
  CHECK(trace_complaint("{\"op\":\"reset\",\"now\":5,\"expect\":{\"status\":404}}\n") ==
        "t.jsonl:1: reset: the answer is always 200");
  CHECK(trace_complaint(reset + std::string(40 << 20, 'x')) == "t.jsonl:2: the line is longer than 33554432 bytes");
}

TEST_CASE("expect compares the fields it names, documents in any order, and null requires that a field is absent") {
  const Document a{"p0", "a", "v", Instant{Seconds{5}}, Inherit{}};
  const Document b{"p0", "b", "v", Instant{Seconds{5}}, Seconds{9}};
  const std::string a_json = R"({"partition":"p0","id":"a","value":"v","_ts":5})";
  const std::string b_json = R"({"partition":"p0","id":"b","value":"v","_ts":5,"ttl":9})";
  const Outcome both{.status = Status::ok, .documents = std::vector{b, a}, .charge = Charge{3}};
  CHECK(meets(R"({"status":200})", both));
  CHECK_FALSE(meets(R"({"status":404})", both));
  CHECK(meets(R"({"documents":[)" + a_json + "," + b_json + "]}", both));
  CHECK_FALSE(meets(R"({"documents":[)" + a_json + "]}", both));
  CHECK(meets(R"({"charge":3})", both));
  const Outcome one{.status = Status::ok, .document = a};
  CHECK(meets(R"({"document":)" + a_json + "}", one));
  CHECK_FALSE(meets(R"({"document":)" + b_json + "}", one));
  CHECK(meets(R"({"default_ttl":null})", one));
  CHECK(meets(R"({"documents":null,"error":"whatever"})", one));
  CHECK_FALSE(meets(R"({"document":null})", one));
  CHECK_FALSE(meets(R"({"default_ttl":null})", {.default_ttl = Never{}}));
  CHECK(meets(R"({"default_ttl":-1})", {.default_ttl = Never{}}));
}

TEST_CASE("a directory and a missing file are not traces") {
  CHECK_THROWS_WITH_AS(read_trace_file("/"), "/: is a directory", InputError);
  CHECK_THROWS_WITH_AS(read_trace_file("/nowhere/t.jsonl"), "/nowhere/t.jsonl: cannot be read", InputError);
}

}  // namespace mayfly::test
