#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "mayfly/serve/service/service.hpp"
#include "with_container.hpp"

namespace mayfly::test {

namespace {

namespace json = boost::json;
using namespace serve;

constexpr const char* bad_ttl =
    "The input ttl '{}' is invalid. Ensure to provide a nonzero positive integer less than or equal to '2147483647', "
    "or "
    "'-1' which means never expire.";

}  // namespace

TEST_CASE("T3: an invalid ttl of any kind is refused with the service's message, and changes nothing") {
  WithContainer asked;
  asked.put_item("a", R"(,"ttl":5)");
  const std::pair<const char*, const char*> wrong[]{
      {"0", "0"},     {"-2", "-2"},      {"null", "null"}, {"2147483648", "2147483648"},
      {"\"5\"", "5"}, {"true", "true"},  {"5.5", "5.5E0"}, {"[1]", "[1]"},
      {"{}", "{}"},   {"1e400", nullptr}};
  for (const auto& [text, shown] : wrong) {
    const std::string ttl(text);  // clang 14 captures no structured binding
    CAPTURE(ttl);
    const Response response = asked.put_item("a", fmt::format(R"(,"ttl":{})", ttl));
    CHECK(response.status == 400);
    if (shown) CHECK(message_of(response) == fmt::format(fmt::runtime(bad_ttl), shown));
  }
  CHECK(json_of(asked.read("a")).at("ttl") == 5);
}

TEST_CASE("T2, I1: an invalid default is refused, and so is one without an index") {
  WithContainer asked;
  const std::string key = R"("partitionKey":{"paths":["/pk"]})";
  for (const char* text : {"0", "-2", "\"5\"", "1.5", "2147483648", "true"}) {
    CAPTURE(text);
    CHECK(asked.post("/dbs/d/colls", fmt::format(R"({{"id":"x",{},"defaultTtl":{}}})", key, text)).status == 400);
    CHECK(asked.ask(Verb::put, "/dbs/d/colls/c", fmt::format(R"({{"id":"c",{},"defaultTtl":{}}})", key, text)).status ==
          400);
  }
  const std::string none = R"("indexingPolicy":{"indexingMode":"none"})";
  const Response refused =
      asked.ask(Verb::put, "/dbs/d/colls/c", fmt::format(R"({{"id":"c",{},{},"defaultTtl":5}})", key, none));
  CHECK(refused.status == 400);
  CHECK(message_of(refused) == "Indexing mode value cannot be 'none' when 'defaultTtl' is specified in the collection");
  CHECK(json_of(asked.get("/dbs/d/colls/c")).at("defaultTtl") == 10);
}

TEST_CASE("T1: a default of null is refused in a creation, and switches TTL off in a replace") {
  WithContainer asked;
  const std::string key = R"("partitionKey":{"paths":["/pk"]})";
  CHECK(asked.post("/dbs/d/colls", R"({"id":"x",)" + key + R"(,"defaultTtl":null})").status == 400);
  const Response replaced = asked.ask(Verb::put, "/dbs/d/colls/c", R"({"id":"c",)" + key + R"(,"defaultTtl":null})");
  CHECK(replaced.status == 200);
  CHECK(!json_of(replaced).as_object().contains("defaultTtl"));
}

TEST_CASE(
    "X2, X3: from its deadline on an item is missing in reads, feeds, queries and counts, and can be created again") {
  WithContainer asked;
  asked.put_item("a", R"(,"ttl":5)");
  asked.put_item("b");
  asked.advance(4);
  CHECK(asked.read("a").status == 200);
  CHECK(asked.post(docs_path, R"({"id":"a","pk":"p"})").status == 409);
  asked.advance(1);
  CHECK(asked.read("a").status == 404);
  CHECK(asked.ask(Verb::put, docs_path + "/a", R"({"id":"a","pk":"p"})", in_p).status == 404);
  CHECK(asked.ask(Verb::patch, docs_path + "/a", R"([{"op":"set","path":"/x","value":1}])", in_p).status == 404);
  CHECK(asked.ask(Verb::erase, docs_path + "/a", "", in_p).status == 404);
  CHECK(ids_in(asked.get(docs_path)) == std::set<std::string>{"b"});
  CHECK(ids_in(asked.query(docs_path, "SELECT * FROM c")) == std::set<std::string>{"b"});
  CHECK(json_of(asked.query(docs_path, "SELECT VALUE COUNT(1) FROM c")).at("Documents") == json::array{1});
  CHECK(asked.put_item("a").status == 201);
}

TEST_CASE("X2: no count includes an expired item, purged or not, whatever made it expire") {
  WithContainer asked;
  const auto counted = [&](const std::string& sql, const Asked::Fields& fields = {}) {
    return json_of(asked.query(docs_path, sql, fields)).at("Documents").at(0).to_number<int>();
  };
  const auto all_counts = [&] {
    return std::vector<int>{counted("SELECT VALUE COUNT(1) FROM c"), counted("SELECT VALUE COUNT(1) FROM c", in_p),
                            counted("SELECT VALUE COUNT(c.n) FROM c WHERE c.n >= 0")};
  };
  const auto set_default = [&](const char* value) {
    const std::string key = R"("partitionKey":{"paths":["/pk"]})";
    CHECK(
        asked.ask(Verb::put, "/dbs/d/colls/c", fmt::format(R"({{"id":"c",{},"defaultTtl":{}}})", key, value)).status ==
        200);
  };
  asked.put_item("own", R"(,"n":0,"ttl":5)");
  asked.put_item("default", R"(,"n":1)");
  asked.put_item("never", R"(,"n":2,"ttl":-1)");
  asked.put_item("long", R"(,"n":3,"ttl":100)");
  CHECK(all_counts() == std::vector{4, 4, 4});
  asked.advance(4);
  CHECK(all_counts() == std::vector{4, 4, 4});
  asked.advance(1);
  CHECK(all_counts() == std::vector{3, 3, 3});  // by its own ttl
  set_default("5");
  CHECK(all_counts() == std::vector{2, 2, 2});  // by a shorter default (W5)
  set_default("1000");
  CHECK(all_counts() == std::vector{2, 2, 2});  // for good (X4)
  set_default("null");
  asked.advance(100);
  CHECK(all_counts() == std::vector{2, 2, 2});
  set_default("-1");
  CHECK(all_counts() == std::vector{1, 1, 1});  // while TTL was off (F3)
  CHECK(json_of(asked.get("/_mayfly/stats")).at("containers").at(0).at("held") == 4);
  asked.post("/_mayfly/purge", "");
  CHECK(all_counts() == std::vector{1, 1, 1});
}

TEST_CASE("X2, I3: a lazy index that still has an expired item does not count it") {
  WithContainer asked(R"(,"defaultTtl":10,"indexingPolicy":{"indexingMode":"lazy"})");
  asked.put_item("a", R"(,"ttl":5)");
  asked.put_item("b");
  asked.post("/_mayfly/index", "");
  const auto count = [&] { return json_of(asked.query(docs_path, "SELECT VALUE COUNT(1) FROM c")).at("Documents"); };
  CHECK(count() == json::array{2});
  asked.advance(5);
  CHECK(count() == json::array{1});
  asked.advance(5);
  CHECK(count() == json::array{0});
}

TEST_CASE("I6: without an index a container can be read but not queried") {
  WithContainer asked(R"(,"indexingPolicy":{"indexingMode":"none"})");
  asked.put_item("a");
  CHECK(asked.query(docs_path, "SELECT * FROM c").status == 400);
  CHECK(ids_in(asked.get(docs_path)) == std::set<std::string>{"a"});
}

TEST_CASE("I3, I4: a lazy index catches up when the clock is moved, or on request") {
  WithContainer asked(R"(,"indexingPolicy":{"indexingMode":"lazy"})");
  asked.put_item("a");
  CHECK(ids_in(asked.query(docs_path, "SELECT * FROM c")).empty());
  CHECK(asked.post("/_mayfly/clock/advance", R"({"seconds":1})").status == 200);
  CHECK(ids_in(asked.query(docs_path, "SELECT * FROM c")) == std::set<std::string>{"a"});
  asked.put_item("b");
  CHECK(asked.post("/_mayfly/index", R"({"budget":10})").status == 200);
  CHECK(ids_in(asked.query(docs_path, "SELECT * FROM c")) == std::set<std::string>{"a", "b"});
}

TEST_CASE("T2, I1: setting or previewing an invalid default is refused, and changes nothing") {
  WithContainer asked;
  asked.post("/dbs/d/colls",
             R"({"id":"none","partitionKey":{"paths":["/pk"]},"indexingPolicy":{"indexingMode":"none"}})");
  for (const char* path : {"/_mayfly/default", "/_mayfly/default/preview"}) {
    CAPTURE(path);
    for (const char* value : {"0", "-2", "1.5", "2147483648", "\"5\"", "true"}) {
      CAPTURE(value);
      const auto body = fmt::format(R"({{"database":"d","container":"c","defaultTtl":{}}})", value);
      CHECK(asked.post(path, body).status == 400);
    }
    for (const char* body : {"", "[]", "{}", R"({"database":"d","container":"c"})",
                             R"({"database":"d","defaultTtl":5})", R"({"database":5,"container":"c","defaultTtl":5})"})
      CHECK(asked.post(path, body).status == 400);
    CHECK(asked.post(path, R"({"database":"d","container":"x","defaultTtl":5})").status == 404);
    CHECK(asked.post(path, R"({"database":"x","container":"c","defaultTtl":5})").status == 404);
    CHECK(message_of(asked.post(path, R"({"database":"d","container":"none","defaultTtl":5})")) ==
          "Indexing mode value cannot be 'none' when 'defaultTtl' is specified in the collection");
    CHECK(asked.get(path).status == 405);
  }
  CHECK(json_of(asked.get("/dbs/d/colls/c")).at("defaultTtl") == 10);
}

TEST_CASE("R1, R2: every answer has its charge, the same with a ttl, and purging costs nothing") {
  WithContainer asked;
  // Also where the text of a ttl would make it a kilobyte more.
  for (std::size_t size = 900; size < 1100; ++size) {
    const std::string text = R"(,"x":")" + std::string(size, 'x') + "\"";
    const double without = asked.put_item("a", text).charge;
    CHECK(without > 0);
    CHECK(asked.put_item("a", R"(,"ttl":2147483647)" + text).charge == without);
  }
  asked.post("/_mayfly/clock/advance", R"({"seconds":1})");
  CHECK(asked.post("/_mayfly/purge", "").charge == 0);
}

}  // namespace mayfly::test
