#include "mayfly/serve/service/control.hpp"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "mayfly/serve/message/instant_text.hpp"
#include "with_container.hpp"

namespace mayfly::test {

namespace {

namespace json = boost::json;
using namespace serve;

}  // namespace

TEST_CASE("only a virtual clock can be moved, and only forward") {
  Asked asked;
  CHECK(json_of(asked.get("/_mayfly/clock")).at("now") == 1'700'000'000);
  CHECK(json_of(asked.post("/_mayfly/clock/advance", R"({"seconds":60})")).at("now") == 1'700'000'060);
  CHECK(json_of(asked.post("/_mayfly/clock/set", R"({"now":1800000000})")).at("now") == 1'800'000'000);
  CHECK(asked.post("/_mayfly/clock/set", R"({"now":1799999999})").status == 400);
  for (const char* body : {"", "{}", R"({"seconds":-1})", R"({"seconds":1.5})", R"({"seconds":"1"})",
                           R"({"seconds":9223372036854775807})", R"({"seconds":18446744073709551615})"})
    CHECK(asked.post("/_mayfly/clock/advance", body).status == 400);
  CHECK(json_of(asked.get("/_mayfly/clock")).at("now") == 1'800'000'000);
  Instant wall = Asked::start;
  Service real({.access = Access::open}, ServiceClock::real([&] { return wall; }));
  const Response refused =
      real.answer({.verb = Verb::post, .target = "/_mayfly/clock/advance", .body = R"({"seconds":1})"});
  CHECK(refused.status == 409);
  wall -= Seconds{100};
  CHECK(real.clock().now() == Asked::start);  // whatever the wall clock does
  wall += Seconds{101};
  CHECK(real.clock().now() == Asked::start + Seconds{1});
}

TEST_CASE("a start is a second or a date") {
  CHECK(parse_instant("1700000000") == Asked::start);
  CHECK(parse_instant("2023-11-14T22:13:20Z") == Asked::start);
  CHECK(parse_instant("1970-01-01") == Instant{});
  CHECK(parse_instant("9999-12-31T23:59:59Z") == latest_instant);
  CHECK(date_text(Asked::start) == "2023-11-14T22:13:20Z");
  for (const char* text : {"", "-1", "soon", "2023-02-30", "2023-1-1", "2023-01-01T24:00:00Z", "2023-01-01T00:00:00",
                           "253402300800", "1969-12-31", "10000-01-01"})
    CHECK(!parse_instant(text));
}

TEST_CASE("statistics count held, live, expired and purged items, and a purge stays within its budget") {
  WithContainer asked;
  for (int i = 0; i < 5; ++i) asked.put_item(fmt::format("i{}", i), i < 3 ? R"(,"ttl":1)" : "");
  const auto counts = [&] {
    const json::value container = json_of(asked.get("/_mayfly/stats")).at("containers").at(0);
    return json::array{container.at("held"), container.at("live"), container.at("expired"), container.at("purged")};
  };
  CHECK(counts() == json::array{5, 5, 0, 0});
  asked.post("/_mayfly/clock/advance", R"({"seconds":1})");
  CHECK(counts() == json::array{5, 2, 3, 0});
  CHECK(json_of(asked.post("/_mayfly/purge", R"({"budget":2})")).at("purged") == 2);
  CHECK(counts() == json::array{3, 2, 1, 2});
  asked.post("/_mayfly/clock/advance", R"({"seconds":1})");
  CHECK(counts() == json::array{2, 2, 0, 3});
  const json::value list = json_of(asked.get("/_mayfly/items")).at("containers").at(0).at("items");
  CHECK(list.at(0).at("deadline") == 1'700'000'010);
  CHECK(json_of(asked.get("/_mayfly/items?limit=1")).at("containers").at(0).at("items").as_array().size() == 1);
  CHECK(asked.get("/_mayfly/items?limit=x").status == 400);
  CHECK(asked.post("/_mayfly/reset", "").status == 200);
  CHECK(asked.get("/dbs/d").status == 404);
  CHECK(json_of(asked.get("/_mayfly/clock")).at("now") == 1'700'000'002);
}

TEST_CASE("W5, F3, X4: a preview counts the items that a default would expire at once") {
  WithContainer asked;
  asked.put_item("own", R"(,"ttl":5)");
  asked.put_item("old");
  asked.put_item("never", R"(,"ttl":-1)");
  asked.advance(4);
  asked.put_item("young");
  const auto body = [](const char* value) {
    return fmt::format(R"({{"database":"d","container":"c","defaultTtl":{}}})", value);
  };
  const auto preview = [&](const char* value) { return json_of(asked.post("/_mayfly/default/preview", body(value))); };
  const auto set = [&](const char* value) { return json_of(asked.post("/_mayfly/default", body(value))); };
  for (const char* value : {"null", "-1", "5", "10", "1000"})
    CHECK(preview(value) == json::object{{"expires", 0}, {"live", 4}});
  CHECK(preview("4") == json::object{{"expires", 1}, {"live", 4}});
  CHECK(json_of(asked.get("/dbs/d/colls/c")).at("defaultTtl") == 10);
  CHECK(asked.read("old").status == 200);
  CHECK(set("4") == json::object{{"expired", 1}, {"live", 3}});
  CHECK(json_of(asked.get("/dbs/d/colls/c")).at("defaultTtl") == 4);
  CHECK(asked.read("old").status == 404);
  CHECK(preview("4") == json::object{{"expires", 0}, {"live", 3}});  // what is expired does not expire again
  CHECK(set("null") == json::object{{"expired", 0}, {"live", 3}});
  CHECK(!json_of(asked.get("/dbs/d/colls/c")).as_object().contains("defaultTtl"));
  asked.advance(1);
  CHECK(preview("-1") == json::object{{"expires", 1}, {"live", 3}});
  CHECK(preview("1") == json::object{{"expires", 2}, {"live", 3}});
  CHECK(set("-1") == json::object{{"expired", 1}, {"live", 2}});
}

TEST_CASE("setting a default leaves the rest of its container unchanged") {
  WithContainer asked(
      R"(,"defaultTtl":10,"uniqueKeyPolicy":{"uniqueKeys":[]},"indexingPolicy":{"indexingMode":"lazy"})");
  json::object before = json_of(asked.get("/dbs/d/colls/c")).as_object();
  asked.post("/_mayfly/default", R"({"database":"d","container":"c","defaultTtl":20})");
  json::object after = json_of(asked.get("/dbs/d/colls/c")).as_object();
  CHECK(before["_etag"] != after["_etag"]);
  before["_etag"] = after["_etag"];
  before["defaultTtl"] = 20;
  CHECK(before == after);
}

TEST_CASE("a reset may set a virtual clock back, and is refused if another database exists") {
  WithContainer asked;  // in the database d
  CHECK(asked.post("/_mayfly/reset", R"({"now":5,"only":"mine-"})").status == 409);
  CHECK(asked.get("/dbs/d").status == 200);
  for (const auto* bad : {R"({"now":-1})", R"({"now":"5"})", R"({"now":253402300800})", R"({"only":5})", "[]"})
    CHECK(asked.post("/_mayfly/reset", bad).status == 400);
  CHECK(asked.get("/dbs/d").status == 200);
  CHECK(json_of(asked.post("/_mayfly/reset", R"({"now":5,"only":"d"})")).at("now") == 5);
  CHECK(asked.get("/dbs/d").status == 404);
  CHECK(json_of(asked.get("/_mayfly/clock")).at("now") == 5);
}

TEST_CASE("a listing has the next to expire first, then items without a deadline, then expired ones") {
  WithContainer asked;
  const std::vector<std::pair<std::string, std::string>> written{
      {"never", R"(,"ttl":-1)"}, {"late", R"(,"ttl":30)"}, {"gone", R"(,"ttl":1)"},
      {"default", ""},           {"soon", R"(,"ttl":5)"},  {"late too", R"(,"ttl":30)"}};
  for (const auto& [id, ttl] : written) asked.put_item(id, ttl);
  asked.post("/_mayfly/clock/advance", R"({"seconds":1})");
  const auto listed = [&](int limit) {
    const json::value list = json_of(asked.get(fmt::format("/_mayfly/items?limit={}", limit)));
    const json::value& container = list.at("containers").at(0);
    CHECK(container.at("live") == 5);
    CHECK(container.at("expired") == 1);
    std::vector<std::string> ids;
    for (const json::value& item : container.at("items").as_array()) ids.emplace_back(item.at("id").as_string());
    return ids;
  };
  const std::vector<std::string> all{"soon", "default", "late", "late too", "never", "gone"};
  for (int limit = 0; limit <= 7; ++limit)
    CHECK(listed(limit) == std::vector<std::string>(all.begin(), all.begin() + std::min(limit, 6)));
}

TEST_CASE("the page needs no signature, has a security policy, and is found without its slash") {
  for (const Access access : {Access::open, Access::emulator, Access::own_key}) {
    Asked asked(Asked::start, access);
    const Response page = asked.get("/_mayfly/");
    CHECK(page.status == 200);
    CHECK(page.content_type.starts_with("text/html"));
    CHECK(page.body.starts_with("<!DOCTYPE html>"));
    CHECK(page.body.find("{{") == std::string::npos);
    CHECK(page.security_policy.starts_with("default-src 'none';"));
    const Response elsewhere = asked.get("/_mayfly");
    CHECK(elsewhere.status == 308);
    CHECK(elsewhere.location == "/_mayfly/");
  }
  Asked asked;
  CHECK(asked.post("/_mayfly/", "").status == 404);
}

}  // namespace mayfly::test
