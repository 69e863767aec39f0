#include <set>

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "mayfly/cosmos/endpoint.hpp"
#include "mayfly/cosmos/rest_mapping.hpp"
#include "mayfly/sim/json.hpp"
#include "shorthand.hpp"

// Requests to an endpoint, and the meaning of its answers; cosmos.sh runs against real endpoints.

namespace mayfly::test {

namespace {

namespace json = boost::json;
using namespace cosmos;

const CasePlace place{"mayfly-1", 7};

json::value body_of(const Operation& operation) { return json::parse(request_for(operation, place).body); }

std::string field_of(const Operation& operation, const std::string& name) {
  for (const auto& [field, value] : request_for(operation, place).fields)
    if (field == name) return value;
  return {};
}

Outcome answered(const Operation& operation, int status, std::string body = "{}", HttpFields fields = {}) {
  return outcome_of(operation, {status, std::move(fields), std::move(body)});
}

}  // namespace

TEST_CASE("an endpoint is parsed from its URL, and known to be on this machine or not") {
  CHECK(parse_endpoint("http://127.0.0.1:8081/").url() == "http://127.0.0.1:8081/");
  CHECK(parse_endpoint("https://me.example").url() == "https://me.example:443/");
  CHECK(parse_endpoint("http://[::1]:80").url() == "http://[::1]:80/");
  CHECK(parse_endpoint("http://[::1]").authority() == "[::1]:80");
  for (const char* here : {"http://localhost:1", "https://127.9.9.9", "http://[::1]"})
    CHECK(parse_endpoint(here).is_loopback());
  for (const char* elsewhere :
       {"http://localhost.example", "http://10.0.0.1", "http://127.0.0.1.example", "http://[::2]"})
    CHECK_FALSE(parse_endpoint(elsewhere).is_loopback());
  for (const char* bad :
       {"", "http://", "ws://a", "http://a:", "http://a:70000", "http://a/b", "http://u@a", "http://a?b"})
    CHECK_THROWS_AS(parse_endpoint(bad), InputError);
}

TEST_CASE("every name can stand in a path, stays different from others, and comes back") {
  std::set<std::string> safe;
  const std::vector<std::string> names{"",
                                       "a",
                                       "A",
                                       "a/b",
                                       "a\\b",
                                       "a?b",
                                       "a#b",
                                       "a b",
                                       " ",
                                       ".",
                                       "..",
                                       "~",
                                       "~2F",
                                       "\xc3\xa4",
                                       std::string("a\0b", 3),
                                       std::string(1, '\xff')};
  for (const auto& name : names) {
    safe.insert(safe_name(name));
    CHECK(original_name(safe_name(name)) == name);
    CHECK_FALSE(safe_name(name).empty());
    CHECK(safe_name(name).find_first_of("/\\?#. %") == std::string::npos);
  }
  CHECK(safe.size() == names.size());
}

TEST_CASE("a ttl and a default are sent as given, and left out if they are absent") {
  const auto create = [](TtlField ttl) { return Create{{d0, {std::move(ttl), "v"}}}; };
  CHECK_FALSE(body_of(create({})).as_object().contains("ttl"));
  CHECK(body_of(create(Null{})).at("ttl").is_null());
  CHECK(body_of(create(std::int64_t{-2})).at("ttl") == -2);
  CHECK(body_of(create(OtherJson{"\"5\""})).at("ttl") == "5");
  const Definition null{.default_ttl = Null{}};
  CHECK_FALSE(body_of(CreateCollection{{"c0", null}}).as_object().contains("defaultTtl"));
  CHECK(body_of(ReplaceCollection{{"c0", null}}).at("defaultTtl").is_null());
  CHECK_FALSE(body_of(ReplaceCollection{{"c0", {}}}).as_object().contains("defaultTtl"));
  CHECK(body_of(CreateCollection{{"c0", {.default_ttl = OtherJson{"1.5"}}}}).at("defaultTtl") == 1.5);
}

TEST_CASE("each case has containers of its own") {
  CHECK(request_for(Read{{d0}}, place).path == "/dbs/mayfly-1/colls/7-c0/docs/d0");
  CHECK(request_for(Read{{d0}}, {"mayfly-1", 8}).path == "/dbs/mayfly-1/colls/8-c0/docs/d0");
  CHECK(field_of(Read{{d0}}, "x-ms-documentdb-partitionkey") == R"(["p0"])");
  CHECK(field_of(Query{{"c0", "p1"}}, "x-ms-documentdb-partitionkey") == R"(["p1"])");
  CHECK(field_of(Query{{"c0", {}}}, "x-ms-documentdb-query-enablecrosspartition") == "True");
}

TEST_CASE("W4: a patch request contains only its changes, and removes a ttl whether or not there is one") {
  const auto operations = [](const Patch& patch) {
    return json::serialize(body_of(PatchDocument{d0, patch}).at("operations"));
  };
  CHECK(operations({.value = "v"}) == R"([{"op":"set","path":"/value","value":"v"}])");
  CHECK(operations({.ttl = std::int64_t{5}}) == R"([{"op":"set","path":"/ttl","value":5}])");
  CHECK(operations({.remove_ttl = true}) == R"([{"op":"set","path":"/ttl","value":1},{"op":"remove","path":"/ttl"}])");
  CHECK(operations({}) == "[]");
  CHECK(operations({.ttl = std::int64_t{5}, .remove_ttl = true}).find("set-and-remove") != std::string::npos);
}

TEST_CASE("an item is read back, whatever further properties it has") {
  const Outcome read =
      answered(Read{{d0}}, 200, R"({"id":"d~2F0","partition":"p0","value":"v","ttl":-1,"_ts":9,"_rid":"x"})",
               {{"x-ms-request-charge", "1.25"}});
  CHECK(read.document == Document{"p0", "d/0", "v", Instant{Seconds{9}}, Never{}});
  CHECK(read.charge == Charge{1.25});
  const auto ttl_in = [](const std::string& ttl) {
    return answered(Read{{d0}}, 200, R"({"id":"a","partition":"b","value":"","_ts":9,"ttl":)" + ttl + "}")
        .document->ttl;
  };
  CHECK(ttl_in("5") == Ttl{Seconds{5}});
  CHECK(ttl_in("0") == Ttl{Seconds{0}});
  CHECK(ttl_in("null") == Ttl{Inherit{}});
  for (const char* bad : {"", "rubbish", "{", "{}{}"}) CHECK_THROWS_AS(answered(Read{{d0}}, 200, bad), InputError);
}

TEST_CASE("any JSON that an endpoint answers becomes an answer of the protocol") {
  const auto shown = [](const Operation& operation, std::string body) {
    const std::string text = to_line(to_json(answered(operation, 200, std::move(body))));
    CHECK(text.starts_with(R"({"status":200)"));
    return text.substr(std::string(R"({"status":200)").size());
  };
  const Operation read = Read{{d0}}, settings = ReadCollection{{"c0"}}, query = Query{"c0", {}};
  CHECK(shown(read, R"({"id":"a~2F","partition":"b","value":"v","_ts":9,"ttl":"5","_rid":"x"})") ==
        R"(,"document":{"partition":"b","id":"a/","value":"v","_ts":9,"ttl":"5"}})");
  CHECK(shown(read, R"({"id":7,"value":["v"],"_ts":"9","ttl":0})") ==
        R"(,"document":{"id":7,"value":["v"],"_ts":"9","ttl":0}})");
  CHECK(shown(read, R"({"id":"a","partition":"b","value":"v","_ts":1.5})") ==
        R"(,"document":{"partition":"b","id":"a","value":"v","_ts":1.5E0}})");
  CHECK(shown(read, "[]") == R"(,"document":[]})");
  CHECK(shown(query, R"({"Documents":[7]})") == R"(,"documents":[7]})");
  CHECK(shown(query, R"({"Documents":[{"id":"a","partition":"b","value":"v","_ts":9,"ttl":[0]}],"_count":1})") ==
        R"(,"documents":[{"partition":"b","id":"a","value":"v","_ts":9,"ttl":[0]}]})");
  CHECK(shown(query, R"({"Documents":null})") == R"(,"documents":null})");
  CHECK(shown(query, R"({"_count":0})") == R"(,"body":{"_count":0}})");
  CHECK(shown(settings, R"({"defaultTtl":0})") == R"(,"default_ttl":0})");
  CHECK(shown(settings, R"({"defaultTtl":"5","indexingPolicy":{"indexingMode":"Hasty"}})") ==
        R"(,"default_ttl":"5","indexing":"hasty"})");
  CHECK(shown(settings, R"({"indexingPolicy":{"indexingMode":1}})") == R"(,"indexing":1})");
  CHECK(shown(settings, R"({"indexingPolicy":[]})") == R"(,"indexing":[]})");
  CHECK(shown(settings, "[]") == R"(,"body":[]})");
}

TEST_CASE("a charge that is not a number is no charge") {
  const auto charge = [](const std::string& text) {
    return answered(Delete{{d0}}, 204, "", {{"x-ms-request-charge", text}}).charge;
  };
  CHECK(charge("2") == Charge{2});
  CHECK(charge("-1.5") == Charge{-1.5});
  for (const char* none : {"", "nan", "inf", "1e999", "2 units", "free"}) CHECK_FALSE(charge(none));
}

TEST_CASE("the settings of a container are read back") {
  const Operation read = ReadCollection{{"c0"}};
  const Outcome off = answered(read, 200, R"({"indexingPolicy":{"indexingMode":"Consistent"}})");
  CHECK(off.default_ttl == DefaultTtl{Off{}});
  CHECK(off.indexing == Indexing::consistent);
  CHECK(answered(read, 200, R"({"defaultTtl":-1})").default_ttl == DefaultTtl{Never{}});
  CHECK(answered(read, 200, R"({"defaultTtl":10})").default_ttl == DefaultTtl{Seconds{10}});
  CHECK_FALSE(answered(read, 200, R"({"indexingPolicy":{"indexingMode":"hasty"}})").indexing);
}

TEST_CASE("C2: a 404 to an invalid request counts as a 400, and every other status stays") {
  const Operation bad = Create{{d0, {.ttl = std::int64_t{0}}}};
  const Operation good = Create{{d0, {.ttl = std::int64_t{1}}}};
  CHECK(answered(bad, 404).status == Status::bad_request);
  CHECK(answered(bad, 409).status == Status::conflict);
  CHECK(answered(good, 404).status == Status::not_found);
  CHECK(answered(good, 500).status == Status{500});
  CHECK(answered(Delete{{d0}}, 204, "").status == Status::no_content);
  CHECK_FALSE(answered(good, 400, "rubbish").document);
}

}  // namespace mayfly::test
