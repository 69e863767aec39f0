#include "mayfly/sim/json.hpp"

#include <set>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "mayfly/props/generate/generate.hpp"
#include "mayfly/sim/digest.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "mayfly/sim/subject.hpp"

namespace mayfly::test {

namespace {

Operation parsed(std::string_view text) { return std::get<Step>(parse_request(parse_object(text))).operation; }

std::string complaint(std::string_view text) {
  try {
    parse_request(parse_object(text));
    return "none";
  } catch (const InputError& error) {
    return error.what();
  }
}

std::string appended(const auto& message) {
  std::string text;
  append_line(text, message);
  return text;
}

Outcome answered(const std::string& text) { return parse_answer(boost::json::parse(text)); }

/// A document with this in place of its ttl, or of another field.
std::string shown_with(const std::string& fields) {
  return R"({"status":200,"document":{"partition":"p","id":"d","value":"v","_ts":1,)" + fields + "}}";
}

TtlField ttl_of(const std::string& json) {
  const auto text = R"({"op":"create","collection":"c","partition":"p","id":"d","ttl":)" + json + "}";
  return std::get<Create>(parsed(text)).content.ttl;
}

}  // namespace

TEST_CASE("every operation and every answer is read back as written") {
  InProcess<Engine> engine("engine");
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Case test_case = generate(seed, {});
    engine.reset(test_case.start);
    for (const auto& step : test_case.steps) {
      const std::string line = to_line(to_json(step.operation));
      CHECK(parsed(line) == step.operation);
      CHECK(parsed(appended(step.operation)) == step.operation);
      const bool has_all_digits = appended(step.operation).find("18446744073709555712") != std::string::npos;
      CHECK((has_all_digits || appended(step.operation) == line));
      const Outcome outcome = engine.apply(step.operation);
      CHECK(appended(outcome) == to_line(to_json(outcome)));
      CHECK(parse_outcome(parse_object(to_line(to_json(outcome)))) == outcome);
    }
  }
}

TEST_CASE("an optional field with its default value is not written") {
  CHECK(to_line(to_json(Create{{{"c0", "p0", "d0"}, {}}})) ==
        R"({"op":"create","collection":"c0","partition":"p0","id":"d0"})");
  CHECK(to_line(to_json(CreateCollection{{"c0", {.default_ttl = Null{}}}})) ==
        R"({"op":"create_collection","collection":"c0","default_ttl":null})");
  const Read needs_escapes{{{"\"", "\\\n\x01\x7f", "\xc3\xa9"}}};
  CHECK(appended(Operation{needs_escapes}) == to_line(to_json(Operation{needs_escapes})));
  CHECK(to_line(to_json(Query{{"c0", "p0"}})) == R"({"op":"query","collection":"c0","partition":"p0"})");
  CHECK(to_line(to_json(Outcome{.status = Status::ok, .documents = std::vector<Document>{}})) ==
        R"({"status":200,"documents":[]})");
}

TEST_CASE("T3: a request can carry any ttl, valid or not") {
  CHECK(ttl_of("5") == TtlField{std::int64_t{5}});
  CHECK(ttl_of("5.0") == TtlField{OtherJson{"5E0"}});
  CHECK(ttl_of("18446744073709555712") == TtlField{OtherJson{"18446744073709555712"}});
  CHECK(ttl_of("null") == TtlField{Null{}});
  for (const char* other : {"1.5", "\"5\"", "true", "[5]", "{}", "1e300", "18446744073709551615", "1e-320"}) {
    CAPTURE(other);
    CHECK(std::holds_alternative<OtherJson>(ttl_of(other)));
  }
}

// Each answer differs from the others, is printed as it was written, and is unchanged in a transcript. The rules allow
// none of them, neither instead of a right answer nor instead of each other.
TEST_CASE("any object that a store answers is kept completely") {
  std::vector<std::string> answers{
      shown_with(R"("ttl":5)"),
      R"({})",
      R"({"status":"200"})",
      R"({"status":2.005E2})",
      R"({"status":null})",
      R"({"status":-1})",
      R"({"status":1000})",
      R"({"status":200,"statsu":200})",
      R"({"status":200,"":[]})",
      R"({"status":200,"document":7})",
      R"({"status":200,"document":null})",
      R"({"status":200,"document":{}})",
      R"({"status":200,"documents":{}})",
      R"({"status":200,"documents":[{"partition":"p"},7]})",
      R"({"status":200,"documents":[{"partition":"p","id":"d","value":"v","_ts":1,"ttl":0}]})",
      R"({"status":200,"documents":[{"partition":"p","id":"d","value":"v","_ts":1,"ttl":true}]})",
      R"({"status":200,"documents":[{"partition":"p","id":"d","value":"v"}]})",
      R"({"status":200,"indexing":"consistent","default_ttl":"5"})",
      R"({"status":200,"indexing":"eager"})",
      R"({"status":200,"indexing":null})",
      R"({"status":200,"now":"noon"})",
      R"({"status":200,"now":-1})",
      R"({"status":200,"purged":-1})",
      R"({"status":200,"purged":"none"})",
      R"({"status":200,"charge":"free"})",
      R"({"status":200,"charge":null})",
      R"({"status":200,"charge":-1})",
      R"({"status":200,"document":{"id":"d","value":"v","_ts":1}})",
      R"({"status":200,"document":{"partition":1,"id":"d","value":"v","_ts":1}})",
      R"({"status":200,"document":{"partition":"p","id":"d","value":"v"}})",
      R"({"status":200,"document":{"partition":"p","id":"d","value":"v","_ts":"1"}})",
      R"({"status":200,"document":{"partition":"p","id":"d","value":"v","_ts":1.5E0}})",
      R"({"status":200,"document":{"partition":"p","id":"d","value":"v","_ts":-1}})",
      R"({"status":200,"document":{"partition":"p","id":"d","value":{"v":[]},"_ts":1}})",
      R"({"status":200,"document":{"partition":"p","id":"d","_ts":1,"ttl":[5]}})",
      R"({"status":200,"document":{"partition":"p","id":"d","value":"v","_ts":1,"_etag":"e"}})"};
  for (const char* ttl : {"0", "-2", "1.5E0", "\"5\"", "true", "[5]", "{}", "1099511627776", "1E300", "2147483648",
                          "-9223372036854775808", "9223372036854775807", "18446744073709551615"}) {
    answers.push_back(shown_with(fmt::format(R"("ttl":{})", ttl)));
    answers.push_back(fmt::format(R"({{"status":200,"default_ttl":{}}})", ttl));
  }
  std::set<std::uint64_t> digests;
  for (const auto& text : answers) {
    CAPTURE(text);
    const Outcome answer = answered(text);
    CHECK(boost::json::parse(to_line(to_json(answer))) == boost::json::parse(text));
    CHECK(appended(answer) == to_line(to_json(answer)));
    CHECK(parse_answer(boost::json::parse(to_line(to_json(answer)))) == answer);
    Digest digest;
    digest.add(answer);
    CHECK(digests.insert(digest.value()).second);
    for (const auto& other : answers) {
      const bool is_charge = text.find("charge") != std::string::npos && answered(other).charge == answer.charge;
      if (&other != &text && !is_charge) CHECK_FALSE((answer == answered(other)));
    }
  }
}

TEST_CASE("a null ttl or default in an answer means none, and an error is not compared") {
  CHECK(answered(shown_with(R"("ttl":null)")) == answered(shown_with(R"("ttl":null)")));
  CHECK(answered(shown_with(R"("ttl":null)")).malformed.empty());
  CHECK(answered(R"({"status":200,"default_ttl":null})") == answered(R"({"status":200})"));
  CHECK(answered(R"({"status":200,"error":7})") == answered(R"({"status":200})"));
  CHECK(answered(shown_with(R"("ttl":5.0)")) == answered(shown_with(R"("ttl":5)")));
  CHECK_THROWS_WITH_AS(answered("7"), "must be a JSON object, got 7", InputError);
  for (const auto& text :
       {std::string(R"({"status":200,"charge":1e400})"), std::string(R"({"a":[-1e400],"status":200})"),
        shown_with(R"("ttl":1e400)"), shown_with(R"("ttl":{"a":1e400})")})
    CHECK_THROWS_WITH_AS(answered(text), "has a number beyond all bounds", InputError);
}

TEST_CASE("an answer with a superfluous, missing or invalid field is not allowed") {
  const Expectation expected{answered(shown_with(R"("ttl":5)"))};
  CHECK(allows(expected, answered(shown_with(R"("ttl":5)"))));
  for (const char* ttl : {"0", "\"5\"", "5.5", "[5]"})
    CHECK_FALSE(allows(expected, answered(shown_with(fmt::format(R"("ttl":{})", ttl)))));
  CHECK_FALSE(allows({answered(R"({"status":200})")}, answered(R"({"status":200,"statsu":200})")));
  CHECK_FALSE(allows({Outcome{.status = Status{}}}, answered("{}")));
}

TEST_CASE("an answer that a trace expects must be valid") {
  for (const char* bad :
       {R"({"status":"200"})", R"({"statsu":200})", R"({"default_ttl":0})", R"({"default_ttl":"5"})",
        R"({"document":{"partition":"p","id":"d","value":"v","_ts":1,"ttl":0}})",
        R"({"document":{"partition":"p","id":"d","value":"v"}})", R"({"documents":[7]})", R"({"charge":"free"})"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(parse_outcome(parse_object(bad)), InputError);
  }
}

TEST_CASE("an invalid request gets one clear message") {
  const std::vector<std::pair<std::string, std::string>> complaints{
      {"", "not JSON: incomplete JSON"},
      {"{", "not JSON: incomplete JSON"},
      {"{} {}", "not JSON: extra data"},
      {"nonsense", "not JSON: syntax error"},
      {"[1]", "must be a JSON object, got [1]"},
      {"{}", "\"op\" is missing"},
      {R"({"op":7})", "\"op\" must be a string, got 7"},
      {R"({"op":"drop"})", "unknown operation \"drop\""},
      {R"({"op":"read","collection":"c","partition":"p"})", "read: \"id\" is missing"},
      {R"({"op":"read","collection":"c","partition":5,"id":"d"})", "read: \"partition\" must be a string, got 5"},
      {R"({"op":"advance","seconds":-1})", "advance: \"seconds\" must be a whole number 0..253402300799, got -1"},
      {R"({"op":"advance","seconds":1.5})", "advance: \"seconds\" must be a whole number 0..253402300799, got 1.5E0"},
      {R"({"op":"advance","seconds":253402300800})",
       "advance: \"seconds\" must be a whole number 0..253402300799, got 253402300800"},
      {R"({"op":"purge","budget":1e99})", "purge: \"budget\" must be a whole number 0..9007199254740991, got 1E99"},
      {R"({"op":"purge","budget":99999999999999999999})",
       "purge: \"budget\" must be a whole number 0..9007199254740991, got 1E20"},
      {R"({"op":"create_collection","collection":"c","indexing":"eager"})",
       "create_collection: \"indexing\" must be \"consistent\", \"lazy\" or \"none\", got \"eager\""},
      {R"({"op":"patch","collection":"c","partition":"p","id":"d","remove_ttl":1})",
       "patch: \"remove_ttl\" must be true or false, got 1"},
      {R"({"op":"read","collection":"c","partition":"p","id":"d","ttl":5})", "read: unknown field \"ttl\""},
      {"{\"op\":\"\xff\"}", "not JSON: syntax error"},
      {R"({"op":"purge","op":"purge","budget":1})", "a field occurs twice"},
      {R"({"op":"create","collection":"c","partition":"p","id":"d","ttl":[{"a":1,"a":2}]})", "a field occurs twice"},
      {R"({"op":"read","collection":"a\":\\","partition":"::","id":"d"})", "none"},
      {R"({"op":"reset"})", "reset: \"now\" is missing"},
      {R"({"op":"reset","now":"today"})", "reset: \"now\" must be a whole number 0..253402300799, got \"today\""},
      {R"({"op":")" + std::string(100, 'x') + "\"}", "unknown operation \"" + std::string(36, 'x') + "..."},
  };
  for (const auto& pair : complaints) {
    CAPTURE(pair.first);
    CHECK(complaint(pair.first) == pair.second);
  }
  CHECK(complaint(std::string(10'000, '[')).starts_with("not JSON"));
  CHECK(complaint(R"({"op":"create","collection":"c","partition":"p","id":"d","ttl":1e400})") ==
        "create: \"ttl\" is a number beyond all bounds");
}

}  // namespace mayfly::test
