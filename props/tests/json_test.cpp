#include "mayfly/sim/json.hpp"

#include <doctest/doctest.h>

#include "mayfly/props/generate.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "mayfly/sim/subject.hpp"

namespace mayfly::test {

namespace {

Operation parsed(std::string_view text) { return std::get<Operation>(parse_request(parse_object(text))); }

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

TtlField ttl_of(const std::string& json) {
  const auto text = R"({"op":"create","collection":"c","partition":"p","id":"d","ttl":)" + json + "}";
  return std::get<Create>(parsed(text)).content.ttl;
}

}  // namespace

TEST_CASE("what is written can be read back: every operation and every answer") {
  InProcess<Engine> engine("engine");
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Case test_case = generate(seed, {});
    engine.reset(test_case.start);
    for (const auto& operation : test_case.operations) {
      const std::string line = to_line(to_json(operation));
      CHECK(parsed(line) == operation);
      CHECK(parsed(appended(operation)) == operation);
      const bool has_all_digits = appended(operation).find("18446744073709555712") != std::string::npos;
      CHECK((has_all_digits || appended(operation) == line));
      const Outcome outcome = engine.apply(operation);
      CHECK(appended(outcome) == to_line(to_json(outcome)));
      CHECK(parse_outcome(parse_object(to_line(to_json(outcome)))) == outcome);
    }
  }
}

TEST_CASE("a field that may be left out is left out") {
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

TEST_CASE("a request that is not one gets one clear message") {
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
      {R"({"op":"purge","op":"purge","budget":1})", "a field is there twice"},
      {R"({"op":"create","collection":"c","partition":"p","id":"d","ttl":[{"a":1,"a":2}]})", "a field is there twice"},
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
