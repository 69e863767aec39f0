#include "mayfly/serve/service/service.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <unistd.h>
#include <utility>
#include <vector>

#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "asked.hpp"
#include "mayfly/props/random.hpp"
#include "mayfly/serve/service/authorization.hpp"

namespace mayfly::test {

namespace {

namespace json = boost::json;
using namespace serve;

const std::string items = "/dbs/d/colls/c/docs";
const Asked::Fields in_p{{"x-ms-documentdb-partitionkey", R"(["p"])"}};

/// With a container `c` whose items are found by `pk`, and more properties of it if given.
struct WithContainer : Asked {
  explicit WithContainer(const std::string& more = R"(,"defaultTtl":10)") {
    post("/dbs", R"({"id":"d"})");
    CHECK(post("/dbs/d/colls", R"({"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash"})" + more + "}").status ==
          201);
  }
  Response put_item(const std::string& id, const std::string& more = "") {
    return post(items, fmt::format(R"({{"id":"{}","pk":"p"{}}})", id, more), {{"x-ms-documentdb-is-upsert", "true"}});
  }
  Response read(const std::string& id, Asked::Fields more = {}) {
    more.insert(more.end(), in_p.begin(), in_p.end());
    return get(items + "/" + id, more);
  }
};

std::string message_of(const Response& response) {
  return std::string(std::string_view(json_of(response).at("message").as_string()));
}

constexpr const char* bad_ttl =
    "The input ttl '{}' is invalid. Ensure to provide a nonzero positive integer less than or equal to '2147483647', "
    "or "
    "'-1' which means never expire.";

std::set<std::string> ids_in(const Response& response) {
  std::set<std::string> ids;
  const json::value body = json_of(response);
  for (const json::value& item : body.at("Documents").as_array())
    ids.insert(std::string(std::string_view(item.at("id").as_string())));
  return ids;
}

}  // namespace

TEST_CASE("an item comes back byte for byte as it was written, and the server's own properties after it") {
  WithContainer asked;
  const std::string text = R"({"id":"a b", "pk":"p","n":1.50,"big":12345678901234567890123,"e":"\u00e9","l":[ 1 ]})";
  const Response created = asked.post(items, text);
  REQUIRE(created.status == 201);
  CHECK(created.body.starts_with(text.substr(0, text.size() - 1) + ",\"_rid\":\""));
  CHECK(created.etag == R"("00000000-0000-0000-0000-000000000004")");
  const Response read = asked.read("a%20b");
  CHECK(read.status == 200);
  CHECK(read.body == created.body);
  CHECK(read.etag == created.etag);
  const json::value item = json_of(read);
  CHECK(item.at("_ts") == 1'700'000'000);
  CHECK(item.at("_attachments") == "attachments/");
  CHECK(item.at("_self").as_string().ends_with("/"));
}

TEST_CASE("an item that was read can be written back: what the server added is not doubled") {
  WithContainer asked;
  const Response created = asked.put_item("a", R"(,"ttl":5,"n":1)");
  asked.advance(1);
  const Response replaced = asked.ask(Verb::put, items + "/a", created.body, in_p);
  REQUIRE(replaced.status == 200);
  const auto count = [&](const std::string& name) {
    std::size_t times = 0;
    for (auto at = replaced.body.find(name); at != std::string::npos; at = replaced.body.find(name, at + 1)) ++times;
    return times;
  };
  for (const char* name : {"\"_rid\"", "\"_self\"", "\"_etag\"", "\"_ts\"", "\"_attachments\"", "\"ttl\""})
    CHECK(count(name) == 1);
  CHECK(json_of(replaced).at("_rid") == json_of(created).at("_rid"));
  CHECK(json_of(replaced).at("_ts") == 1'700'000'001);
  CHECK(replaced.etag != created.etag);
}

TEST_CASE("T3: a ttl of any wrong kind is refused in the service's words, and changes nothing") {
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

TEST_CASE("T2, I1: a default that is not valid is refused, and so is one without an index") {
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
    "X2, X3: from its last second on an item is gone for reads, feeds, queries and counts, and can be made anew") {
  WithContainer asked;
  asked.put_item("a", R"(,"ttl":5)");
  asked.put_item("b");
  asked.advance(4);
  CHECK(asked.read("a").status == 200);
  CHECK(asked.post(items, R"({"id":"a","pk":"p"})").status == 409);
  asked.advance(1);
  CHECK(asked.read("a").status == 404);
  CHECK(asked.ask(Verb::put, items + "/a", R"({"id":"a","pk":"p"})", in_p).status == 404);
  CHECK(asked.ask(Verb::patch, items + "/a", R"([{"op":"set","path":"/x","value":1}])", in_p).status == 404);
  CHECK(asked.ask(Verb::erase, items + "/a", "", in_p).status == 404);
  CHECK(ids_in(asked.get(items)) == std::set<std::string>{"b"});
  CHECK(ids_in(asked.query(items, "SELECT * FROM c")) == std::set<std::string>{"b"});
  CHECK(json_of(asked.query(items, "SELECT VALUE COUNT(1) FROM c")).at("Documents") == json::array{1});
  CHECK(asked.put_item("a").status == 201);
}

TEST_CASE("X2: no count has an expired item in it, purged or not, whatever made it expire") {
  WithContainer asked;
  const auto counted = [&](const std::string& sql, const Asked::Fields& fields = {}) {
    return json_of(asked.query(items, sql, fields)).at("Documents").at(0).to_number<int>();
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
  const auto count = [&] { return json_of(asked.query(items, "SELECT VALUE COUNT(1) FROM c")).at("Documents"); };
  CHECK(count() == json::array{2});
  asked.advance(5);
  CHECK(count() == json::array{1});
  asked.advance(5);
  CHECK(count() == json::array{0});
}

TEST_CASE("I6: without an index a container can be read and not queried") {
  WithContainer asked(R"(,"indexingPolicy":{"indexingMode":"none"})");
  asked.put_item("a");
  CHECK(asked.query(items, "SELECT * FROM c").status == 400);
  CHECK(ids_in(asked.get(items)) == std::set<std::string>{"a"});
}

TEST_CASE("I3, I4: a lazy index catches up when the clock is moved, or when it is told to") {
  WithContainer asked(R"(,"indexingPolicy":{"indexingMode":"lazy"})");
  asked.put_item("a");
  CHECK(ids_in(asked.query(items, "SELECT * FROM c")).empty());
  CHECK(asked.post("/_mayfly/clock/advance", R"({"seconds":1})").status == 200);
  CHECK(ids_in(asked.query(items, "SELECT * FROM c")) == std::set<std::string>{"a"});
  asked.put_item("b");
  CHECK(asked.post("/_mayfly/index", R"({"budget":10})").status == 200);
  CHECK(ids_in(asked.query(items, "SELECT * FROM c")) == std::set<std::string>{"a", "b"});
}

TEST_CASE("a partition key may be any plain value, and 1 and 1.0 are the same") {
  WithContainer asked;
  for (const char* value : {"\"p\"", "1", "-3.25", "true", "null", "\"\"", "\"\\u00e9\"", "12345678901"}) {
    CAPTURE(value);
    const std::string header = fmt::format("[{}]", value);
    const Asked::Fields fields{{"x-ms-documentdb-partitionkey", header}};
    CHECK(asked.post(items, fmt::format(R"({{"id":"a","pk":{}}})", value), fields).status == 201);
    CHECK(asked.get(items + "/a", fields).status == 200);
  }
  CHECK(asked.get(items + "/a", {{"x-ms-documentdb-partitionkey", "[1.0]"}}).status == 200);
  CHECK(asked.post(items, R"({"id":"none"})", {{"x-ms-documentdb-partitionkey", "[{}]"}}).status == 201);
  CHECK(asked.get(items + "/none", {{"x-ms-documentdb-partitionkey", "[{}]"}}).status == 200);
  CHECK(asked.get(items + "/none", {{"x-ms-documentdb-partitionkey", "[null]"}}).status == 404);
  CHECK(asked.post(items, R"({"id":"b","pk":"x"})", in_p).status == 400);
  CHECK(asked.get(items + "/a").status == 400);
  for (const char* header : {"p", "[", "\"p\"", "[1,2]", "{}", "[1e999]"}) {
    const Response refused = asked.get(items + "/a", {{"x-ms-documentdb-partitionkey", header}});
    CHECK(refused.status == 400);
    CHECK(message_of(refused).starts_with("x-ms-documentdb-partitionkey must be a JSON list"));
  }
}

TEST_CASE("numbers are one partition key exactly if they are one double") {
  WithContainer asked;
  const auto create = [&](const std::string& id, const std::string& number) {
    return asked.post(items, fmt::format(R"({{"id":"{}","pk":{}}})", id, number)).status;
  };
  CHECK(create("a", "0.9369347054789312") == 201);
  CHECK(create("a", "0.9369347054789313") == 201);
  CHECK(create("a", "0.93693470547893130000") == 409);
  CHECK(create("b", "10000000000000000") == 201);
  CHECK(create("b", "1e16") == 409);
  CHECK(create("b", "9007199254740992") == 201);
  CHECK(create("b", "9007199254740993") == 409);
  CHECK(create("b", "9007199254740991") == 201);
  CHECK(create("b", "18446744073709551616") == 201);
  CHECK(create("b", "18446744073709551615") == 409);
  CHECK(create("b", "0") == 201);
  CHECK(create("b", "-0.0") == 409);
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    const double number = static_cast<double>(random.next()) * 0x1p-64;
    const double neighbour = std::nextafter(number, 1.0);
    CAPTURE(number);
    CHECK(create(std::to_string(i), fmt::format("{}", number)) == 201);
    CHECK(create(std::to_string(i), fmt::format("{}", neighbour)) == 201);
  }
}

TEST_CASE("a number is shown with the digits it was written with, by queries and after a patch") {
  WithContainer asked;
  asked.put_item("a", R"(,"n":0.9369347054789313)");
  const auto shown = [&](const std::string& condition) {
    return json_of(asked.query(items, "SELECT VALUE c.n FROM c" + condition)).at("Documents").as_array();
  };
  CHECK(shown("") == json::array{0.9369347054789313});
  CHECK(shown(" WHERE c.n = 0.9369347054789313") == json::array{0.9369347054789313});
  CHECK(shown(" WHERE c.n = 0.9369347054789312") == json::array{});
  const Response patched =
      asked.ask(Verb::patch, items + "/a", R"({"operations":[{"op":"add","path":"/m","value":1}]})", in_p);
  CHECK(patched.status == 200);
  CHECK(shown("") == json::array{0.9369347054789313});
}

TEST_CASE("a number beyond a double is refused by every write, and changes nothing") {
  WithContainer asked;
  asked.put_item("a");
  for (const char* number : {"1e999", "-1e999", "1e309", "1e99999999999999999999", "1e-99999999999"}) {
    CAPTURE(number);
    CHECK(asked.put_item("a", fmt::format(R"(,"n":{})", number)).status == 400);
    CHECK(asked.ask(Verb::put, items + "/a", fmt::format(R"({{"id":"a","pk":"p","n":[{}]}})", number), in_p).status ==
          400);
    CHECK(asked
              .ask(Verb::patch, items + "/a",
                   fmt::format(R"({{"operations":[{{"op":"add","path":"/n","value":{}}}]}})", number), in_p)
              .status == 400);
    CHECK(asked.post("/dbs/d/colls", fmt::format(R"({{"id":"x","note":{}}})", number)).status == 400);
    CHECK(asked
              .ask(Verb::put, "/dbs/d/colls/c",
                   fmt::format(R"({{"id":"c","partitionKey":{{"paths":["/pk"]}},"note":{}}})", number))
              .status == 400);
  }
  CHECK(asked.put_item("b", R"(,"n":1e-999,"m":1.7976931348623157e308)").status == 201);
  CHECK(asked.read("a").body.find("\"n\"") == std::string::npos);
}

TEST_CASE("names are compared as they are meant, however they are escaped") {
  WithContainer asked;
  asked.put_item("a", R"(,"\u005fts":1,"_\u0065tag":"mine","\u0074tl":5,"_own":2)");
  const std::string shown = asked.read("a").body;
  CAPTURE(shown);
  CHECK(shown.find("u005f") == std::string::npos);
  CHECK(shown.find("u0065") == std::string::npos);
  CHECK(shown.find("u0074") == std::string::npos);
  CHECK(shown.find("\"_own\":2") != std::string::npos);
  CHECK(json_of(asked.read("a")).at("ttl") == 5);
  const Response batch =
      asked.post(items, R"([{"operation\u0054ype":"Create","resourceBod\u0079":{"id":"b","pk":"p"}}])",
                 {in_p[0], {"x-ms-cosmos-is-batch-request", "True"}});
  CHECK(json_of(batch).at(0).at("statusCode") == 201);
}

TEST_CASE("a text is the same partition however it is escaped, in a header and in an item") {
  WithContainer asked;
  const std::vector<std::vector<std::string>> same_texts{{R"("a/b")", R"("a\/b")", R"("\u0061/b")"},
                                                         {R"("\"\\")", R"("\u0022\u005c")"},
                                                         {"\"\u00e9\"", R"("\u00e9")"},
                                                         {R"("~ ")", R"("\u007e ")"}};
  for (const auto& texts : same_texts)
    for (const auto& written : texts) {
      CHECK(asked.post(items, fmt::format(R"({{"id":"a","pk":{}}})", written), {{"x-ms-documentdb-is-upsert", "true"}})
                .status < 300);
      for (const auto& text : texts) {
        CAPTURE(text);
        const std::string header = fmt::format("[{}]", text);
        CHECK(asked.get(items + "/a", {{"x-ms-documentdb-partitionkey", header}})
                  .body.starts_with(fmt::format(R"({{"id":"a","pk":{})", written)));
      }
    }
}

TEST_CASE("what stands beside a ttl comes back byte for byte, quotes and brackets in texts included") {
  WithContainer asked;
  const std::string rest = R"(,"x":"\\","y\"":"}\"]\\\"",":":[{"ttl":"\\\""},[]],"n":-1.5e3,"t":true)";
  const Response created = asked.put_item("a", R"(,"ttl":5 )" + rest);
  REQUIRE(created.status == 201);
  CHECK(created.body.starts_with(R"({"id":"a","pk":"p")" + rest + ",\"ttl\":5,\"_rid\":\""));
}

TEST_CASE("a container without a partition key has one partition, and so has a path of two properties its own") {
  Asked asked;
  asked.post("/dbs", R"({"id":"d"})");
  CHECK(asked.post("/dbs/d/colls", R"({"id":"c"})").status == 201);
  CHECK(asked.post(items, R"({"id":"a"})").status == 201);
  CHECK(asked.get(items + "/a").status == 200);
  CHECK(asked.get(items + "/a", {{"x-ms-documentdb-partitionkey", "[{}]"}}).status == 200);
  CHECK(asked.post("/dbs/d/colls", R"({"id":"deep","partitionKey":{"paths":["/a/\"b c\""]}})").status == 201);
  CHECK(asked.post("/dbs/d/colls/deep/docs", R"({"id":"i","a":{"b c":7}})", {{"x-ms-documentdb-partitionkey", "[7]"}})
            .status == 201);
  for (const char* path : {"", "a", "/", "//a", "/a/", "/\"a"})
    CHECK(asked.post("/dbs/d/colls", json::serialize(json::value{{"id", "x"}, {"partitionKey", {{"paths", {path}}}}}))
              .status == 400);
}

TEST_CASE("ids of every resource are 1 to 255 bytes, without / \\ ? or #") {
  WithContainer asked;
  const std::string longest(255, 'x');
  for (const std::string& id : {longest, std::string(" "), std::string("é%+&=.,:@"), std::string("\x01")}) {
    const std::string body = json::serialize(json::value{{"id", id}, {"pk", "p"}});
    CAPTURE(body);
    CHECK(asked.post(items, body).status == 201);
  }
  CHECK(asked.read(longest).status == 200);
  CHECK(asked.read("%C3%A9%25+&=.,:@").status == 200);
  for (const std::string& id :
       {std::string(), longest + "x", std::string("a/b"), std::string("a\\b"), std::string("a?"), std::string("#")}) {
    const std::string body =
        json::serialize(json::value{{"id", id}, {"pk", "p"}, {"partitionKey", {{"paths", {"/p"}}}}});
    CAPTURE(body);
    for (const std::string& where : {std::string("/dbs"), std::string("/dbs/d/colls"), items})
      CHECK(asked.post(where, body).status == 400);
  }
  for (const char* body : {R"({"pk":"p"})", R"({"id":5})", R"({"id":null})"})
    CHECK(asked.post(items, body).status == 400);
}

TEST_CASE("what is no item is refused, and the server goes on") {
  WithContainer asked;
  std::string deep = R"({"id":"a","x":)";
  for (int i = 0; i < 100'000; ++i) deep += '[';
  for (const std::string& body :
       {std::string(), std::string("{"), std::string("nonsense"), std::string("[]"), std::string("5"), deep,
        std::string("{\"id\":\"\xff\"}"), std::string(R"({"id":"a"} {"id":"b"})"), std::string("{\"id\":\"a\n\"}"),
        std::string(1, '\0')})
    CHECK(asked.post(items, body).status == 400);
  std::string nested = "1";
  for (int i = 0; i < 120; ++i) nested = "[" + nested + "]";
  CHECK(asked.put_item("deep", ",\"x\":" + nested).status == 201);
  CHECK(asked.query(items, "SELECT * FROM c").status == 200);
  CHECK(asked.put_item("long", ",\"x\":\"" + std::string(2 * 1024 * 1024, 'x') + "\"").status == 413);
  CHECK(asked.put_item("large", ",\"x\":\"" + std::string(2 * 1024 * 1024 - 100, 'x') + "\"").status == 201);
  CHECK(asked
            .ask(Verb::patch, items + "/large",
                 R"([{"op":"add","path":"/y","value":")" + std::string(200, 'y') + "\"}]", in_p)
            .status == 413);
}

TEST_CASE("paths that name nothing are 404, and verbs that a resource does not know 405") {
  WithContainer asked;
  for (const char* path : {"/nothing", "/dbs/d/x", "/dbs/d/colls/c/x", "/dbs/d/colls/c/docs/i/x", "/dbs/x",
                           "/dbs/d/colls/x", "/_mayfly/x", "/_mayfly/clock/x", "/dbs/x/colls", "/offers/x"})
    CHECK(asked.get(path).status == 404);
  const std::pair<Verb, const char*> wrong[]{{Verb::other, "/"},
                                             {Verb::post, "/"},
                                             {Verb::patch, "/dbs"},
                                             {Verb::put, "/dbs/d"},
                                             {Verb::patch, "/dbs/d/colls/c"},
                                             {Verb::put, "/dbs/d/colls/c/docs"},
                                             {Verb::post, "/dbs/d/colls/c/docs/i"},
                                             {Verb::post, "/dbs/d/colls/c/pkranges"},
                                             {Verb::get, "/_mayfly/purge"},
                                             {Verb::post, "/_mayfly/stats"}};
  for (const auto& [verb, path] : wrong) {
    const std::string where(path);
    CAPTURE(where);
    CHECK(asked.ask(verb, where).status == 405);
  }
  for (const char* path : {"/dbs/%", "/dbs/%4", "/dbs/%zz"}) CHECK(asked.get(path).status == 400);
  CHECK(message_of(asked.get("/dbs/%C3%A9")) == "There is no database 'é'.");
  CHECK(message_of(asked.get("/dbs/%ff")) == "There is no database '?'.");
}

TEST_CASE("if-match and if-none-match guard an item") {
  WithContainer asked;
  const std::string first = asked.put_item("a").etag;
  const std::string second = asked.put_item("a").etag;
  const auto put = [&](const std::string& etag) {
    return asked.ask(Verb::put, items + "/a", R"({"id":"a","pk":"p"})", {in_p[0], {"if-match", etag}}).status;
  };
  CHECK(put(first) == 412);
  CHECK(put(second) == 200);
  CHECK(put(second) == 412);
  CHECK(put("*") == 200);
  const std::string now = asked.read("a").etag;
  const Response unchanged = asked.read("a", {{"if-none-match", now}});
  CHECK(unchanged.status == 304);
  CHECK(unchanged.body.empty());
  CHECK(asked.read("a", {{"if-none-match", first}}).status == 200);
  CHECK(asked.read("a", {{"if-none-match", "*"}}).status == 304);
  CHECK(asked.read("a", {{"if-match", first}}).status == 200);
  const auto upsert = [&](const char* condition) {
    return asked
        .post(items, R"({"id":"a","pk":"p"})", {{"x-ms-documentdb-is-upsert", "true"}, {"if-none-match", condition}})
        .status;
  };
  CHECK(upsert("*") == 412);
  CHECK(asked.ask(Verb::put, items + "/a", R"({"id":"a","pk":"p","n":1})", {in_p[0], {"if-none-match", "*"}}).status ==
        200);
  CHECK(asked.ask(Verb::erase, items + "/a", "", {in_p[0], {"if-match", first}}).status == 412);
  CHECK(asked.ask(Verb::erase, items + "/a", "", {in_p[0], {"if-match", now}}).status == 412);
  CHECK(asked.ask(Verb::erase, items + "/a", "", {in_p[0], {"if-none-match", "*"}}).status == 204);
  CHECK(upsert("*") == 201);
}

TEST_CASE("if-match guards containers and databases, and if-none-match spares their text") {
  WithContainer asked;
  asked.put_item("a");
  for (const std::string path : {"/dbs/d/colls/c", "/dbs/d"}) {
    CAPTURE(path);
    const std::string etag = asked.get(path).etag;
    CHECK(asked.get(path, {{"if-none-match", etag}}).status == 304);
    CHECK(asked.get(path, {{"if-none-match", "\"other\""}}).status == 200);
    CHECK(asked.ask(Verb::erase, path, "", {{"if-match", "\"other\""}}).status == 412);
    CHECK(asked.get(path).status == 200);
    CHECK(asked.ask(Verb::erase, path, "", {{"if-match", etag}}).status == 204);
  }
}

TEST_CASE("W4: a patch changes what it names, keeps the ttl, and starts the countdown again") {
  WithContainer asked;
  asked.put_item("a", R"(,"ttl":5,"n":1,"l":[1],"gone":true)");
  asked.advance(4);
  const Response patched = asked.ask(
      Verb::patch, items + "/a",
      R"([{"op":"incr","path":"/n","value":2},{"op":"add","path":"/l/-","value":2},{"op":"remove","path":"/gone"}])",
      in_p);
  REQUIRE(patched.status == 200);
  const json::value item = json_of(patched);
  CHECK(item.at("n") == 3);
  CHECK(item.at("l") == json::array{1, 2});
  CHECK(!item.as_object().contains("gone"));
  CHECK(item.at("ttl") == 5);
  CHECK(item.at("_ts") == 1'700'000'004);
  asked.advance(4);
  CHECK(asked.read("a").status == 200);
  const auto patch = [&](const char* body) { return asked.ask(Verb::patch, items + "/a", body, in_p).status; };
  CHECK(patch(R"([{"op":"set","path":"/ttl","value":0}])") == 400);
  CHECK(patch(R"([{"op":"set","path":"/pk","value":"q"}])") == 400);
  CHECK(patch(R"([{"op":"set","path":"/id","value":"q"}])") == 400);
  CHECK(patch(R"([{"op":"incr","path":"/ttl","value":-5}])") == 400);
  CHECK(patch(R"({"operations":[{"op":"set","path":"/n","value":9}],"condition":"from c where c.n = 4"})") == 412);
  CHECK(patch(R"({"operations":[{"op":"set","path":"/n","value":9}],"condition":"from c where c.n = 3"})") == 200);
  CHECK(patch(R"({"operations":[{"op":"set","path":"/n","value":9}],"condition":"nonsense"})") == 400);
  CHECK(patch(R"({})") == 400);
  CHECK(patch(R"([])") == 400);
}

TEST_CASE("a batch sees its own writes, and happens as a whole or not at all") {
  WithContainer asked;
  asked.put_item("old", R"(,"n":1)");
  const auto batch = [&](const char* body, bool is_atomic = true) {
    return asked.post(items, body,
                      {in_p[0],
                       {"x-ms-cosmos-is-batch-request", "True"},
                       {"x-ms-cosmos-batch-atomic", is_atomic ? "True" : "False"}});
  };
  const char* good = R"([
    {"operationType":"Create","resourceBody":{"id":"a","pk":"p","n":1.50}},
    {"operationType":"Patch","id":"a","resourceBody":{"operations":[{"op":"incr","path":"/n","value":1}]}},
    {"operationType":"Read","id":"a"},
    {"operationType":"Delete","id":"old"}])";
  const Response done = batch(good);
  CHECK(done.status == 200);
  const json::value results = json_of(done);
  CHECK(results.at(0).at("statusCode") == 201);
  CHECK(results.at(2).at("resourceBody").at("n") == 2.5);
  CHECK(results.at(3).at("statusCode") == 204);
  CHECK(asked.read("old").status == 404);
  const char* bad = R"([
    {"operationType":"Upsert","resourceBody":{"id":"b","pk":"p"}},
    {"operationType":"Replace","id":"b","resourceBody":{"id":"b","pk":"p","ttl":0}},
    {"operationType":"Delete","id":"a"}])";
  const Response undone = batch(bad);
  CHECK(undone.status == 207);
  CHECK(json_of(undone).at(0).at("statusCode") == 424);
  CHECK(json_of(undone).at(1).at("statusCode") == 400);
  CHECK(json_of(undone).at(2).at("statusCode") == 424);
  CHECK(asked.read("a").status == 200);
  CHECK(asked.read("b").status == 404);
  const json::value single = json_of(batch(bad, false));
  CHECK(single.at(0).at("statusCode") == 201);
  CHECK(single.at(1).at("statusCode") == 400);
  CHECK(single.at(2).at("statusCode") == 204);
  for (const char* body : {"{}", "[]", "[5]", "[", R"([{"operationType":"Dance"}])"}) CHECK(batch(body).status != 200);

  const json::value elsewhere =
      json_of(batch(R"([{"operationType":"Create","partitionKey":"[\"q\"]","resourceBody":{"id":"q1","pk":"q"}}])"));
  CHECK(elsewhere.at(0).at("statusCode") == 400);
}

TEST_CASE("the answers of a batch have 2 MB at most, and what would exceed them is not done") {
  WithContainer asked;
  asked.put_item("large", ",\"x\":\"" + std::string(1'500'000, 'x') + '"');
  const auto batch = [&](const std::string& body, const char* is_atomic) {
    return asked.post(items, body,
                      {in_p[0], {"x-ms-cosmos-is-batch-request", "True"}, {"x-ms-cosmos-batch-atomic", is_atomic}});
  };
  std::string reads = R"([{"operationType":"Create","resourceBody":{"id":"a","pk":"p"}})";
  for (int i = 0; i < 99; ++i) reads += R"(,{"operationType":"Read","id":"large"})";
  reads += "]";
  const Response refused = batch(reads, "true");
  CHECK(refused.status == 413);
  CHECK(refused.body.size() < 1000);
  CHECK(asked.read("a").status == 404);
  const Response own =
      batch(R"([{"operationType":"Patch","id":"large","resourceBody":[{"op":"add","path":"/y","value":")" +
                std::string(700'000, 'y') + R"("}]},{"operationType":"Read","id":"large"}])",
            "true");
  CHECK(own.status == 207);
  CHECK(json_of(own).at(0).at("statusCode") == 413);
  CHECK(json_of(own).at(1).at("statusCode") == 424);
  const Response bulk = batch(reads, "false");
  CHECK(bulk.body.size() < 2'100'000);
  CHECK(json_of(bulk).at(0).at("statusCode") == 201);
  CHECK(json_of(bulk).at(1).at("statusCode") == 200);
  CHECK(json_of(bulk).at(2).at("statusCode") == 413);
  const std::string patch =
      R"({"operationType":"Patch","id":"large","resourceBody":[{"op":"incr","path":"/n","value":1}]})";
  CHECK(batch("[" + patch + "," + patch + "]", "true").status == 413);
  CHECK(json_of(batch("[" + patch + "," + patch + "]", "false")).at(1).at("statusCode") == 413);
}

TEST_CASE("a batch takes one item as large as it may be alone") {
  WithContainer asked;
  const auto batch = [&](const std::string& operation, const char* is_atomic) {
    const Response response =
        asked.post(items, "[" + operation + "]",
                   {in_p[0], {"x-ms-cosmos-is-batch-request", "True"}, {"x-ms-cosmos-batch-atomic", is_atomic}});
    return response.status == 200 ? json_of(response).at(0).at("statusCode") : json::value(response.status);
  };
  for (const char* is_atomic : {"true", "false"}) {
    const std::string item =
        fmt::format(R"({{"id":"{}","pk":"p","x":"{}"}})", is_atomic, std::string(2 * 1024 * 1024 - 100, 'x'));
    CHECK(batch(R"({"operationType":"Create","resourceBody":)" + item + "}", is_atomic) == 201);
    CHECK(batch(fmt::format(R"({{"operationType":"Read","id":"{}"}})", is_atomic), is_atomic) == 200);
  }
}

TEST_CASE("a feed and a query go on from page to page, past what expires, and show what stays exactly once") {
  WithContainer asked(R"(,"defaultTtl":-1)");
  std::set<std::string> staying;
  for (int i = 0; i < 20; ++i) {
    const std::string id = fmt::format("i{}", i);
    asked.put_item(id, i % 4 == 0 ? R"(,"ttl":1)" : "");
    if (i % 4 != 0) staying.insert(id);
  }
  for (const bool is_query : {true, false}) {
    std::multiset<std::string> seen;
    std::string from;
    do {
      const Asked::Fields fields{{"x-ms-max-item-count", "3"}, {"x-ms-continuation", from}};
      const Response page =
          is_query ? asked.query(items, "SELECT * FROM c WHERE c.pk = 'p'", fields) : asked.get(items, fields);
      REQUIRE(page.status == 200);
      const auto ids = ids_in(page);
      CHECK(ids.size() <= 3);
      CHECK(page.item_count == ids.size());
      seen.insert(ids.begin(), ids.end());
      from = page.continuation;
      asked.advance(1);
      asked.post("/_mayfly/purge", R"({"budget":1})");
    } while (!from.empty());
    for (const auto& id : staying) CHECK(seen.count(id) == 1);
  }
  const auto sorted = asked.query(items, "SELECT VALUE c.id FROM c ORDER BY c.id DESC", {{"x-ms-max-item-count", "2"}});
  CHECK(json_of(sorted).at("Documents") == json::array{"i9", "i7"});
  CHECK(!sorted.continuation.empty());
  const std::string start = sorted.continuation.substr(0, sorted.continuation.rfind('.') + 1);
  CHECK(asked.get(items, {{"x-ms-continuation", start + "0"}}).status == 200);
  for (const std::string& text : {std::string("x"), std::string("0"), start, start + "x", start + "-1",
                                  start + "99999999999999999999", start + "4294967295", "1." + start + "0"})
    CHECK(asked.get(items, {{"x-ms-continuation", text}}).status == 400);
  for (const char* text : {"0", "-2", "many"}) CHECK(asked.get(items, {{"x-ms-max-item-count", text}}).status == 400);
}

TEST_CASE("everything can be addressed by resource id as well, with slashes too many") {
  WithContainer asked;
  const auto self = [&](const Response& response) {
    return "//" + std::string(std::string_view(json_of(response).at("_self").as_string()));
  };
  const std::string item = self(asked.put_item("a"));
  const std::string container = self(asked.get("/dbs/d/colls/c/"));
  CHECK(asked.get(self(asked.get("//dbs/d/"))).status == 200);
  CHECK(asked.get(container).status == 200);
  CHECK(asked.get(container + "/pkranges/").status == 200);
  CHECK(asked.get(item).status == 200);
  CHECK(asked.get(item, in_p).status == 200);
  CHECK(asked.get(item, {{"x-ms-documentdb-partitionkey", R"(["q"])"}}).status == 404);
  CHECK(ids_in(asked.get(container + "docs/")) == std::set<std::string>{"a"});
  const std::string other = self(asked.post(container + "docs/", R"({"id":"b","pk":"p"})"));
  CHECK(asked.get(other).status == 200);
  CHECK(asked.ask(Verb::put, item, R"({"id":"a","pk":"p","n":2})").status == 200);
  asked.advance(10);
  CHECK(asked.get(item).status == 404);
  asked.put_item("a");
  CHECK(asked.get(item).status == 404);  // another item, by another id
  CHECK(asked.ask(Verb::erase, container).status == 204);
  CHECK(asked.get(other).status == 404);
}

TEST_CASE("the clock moves forward when it is told to, and only if it is virtual") {
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

TEST_CASE("statistics tell what is held, live, expired and purged, and a purge keeps to its budget") {
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

TEST_CASE("W5, F3, X4: what a default would expire at once is known before it is set") {
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

TEST_CASE(
    "T2, I1: a default that a container cannot have is refused before and after its preview, and changes nothing") {
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

TEST_CASE("a default that is set leaves the rest of its container as it was") {
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

TEST_CASE("a reset lets a virtual clock begin anew, unless there is a database that it spares") {
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

TEST_CASE("a listing has the next to expire first, then what lives on, then what is expired") {
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

TEST_CASE("the page is for everybody, with a policy, and found without its slash") {
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

TEST_CASE("a signature is checked over verb, kind, link and date") {
  // The example of the service's documentation.
  const rest::Signer key("dsZQi3KtZmCv1ljt3VNWNm7sQUF1y5rJfC6kv5JiwvW0EndXdDku/dkKBp8/ufDToSxLzR4y+O/0H/t4bQtVNw==");
  const std::string good = "type%3dmaster%26ver%3d1.0%26sig%3dc09PEVJrgp2uQRkr934kFbTqhByc7TVr3OHyqlu%2bc%2bc%3d";
  const auto admits = [&](Verb verb, const std::string& target, std::string_view date, std::string_view header) {
    const Asked::Fields fields{{"X-MS-Date", date}, {"Authorization", header}};
    return is_signed({.verb = verb, .target = target, .fields = fields}, rest::Address(target), key);
  };
  const std::string_view date = "Thu, 27 Apr 2017 00:51:12 GMT";
  CHECK(admits(Verb::get, "/dbs/ToDoList", date, good));
  CHECK(admits(Verb::get, "//dbs/ToDoList/", date, good));
  CHECK(!admits(Verb::put, "/dbs/ToDoList", date, good));
  CHECK(!admits(Verb::get, "/dbs/todolist", date, good));
  CHECK(!admits(Verb::get, "/dbs/ToDoList/colls", date, good));
  CHECK(!admits(Verb::get, "/dbs/ToDoList", "Thu, 27 Apr 2017 00:51:13 GMT", good));
  for (const std::string& header : {std::string(), std::string("%"), std::string("type=master&ver=1.0&sig="),
                                    good + "x", good.substr(0, good.size() - 1), std::string(100'000, 'x')})
    CHECK(!admits(Verb::get, "/dbs/ToDoList", date, header));
  CHECK_THROWS(rest::Signer("not base64"));
  CHECK_THROWS(rest::Signer(""));
}

TEST_CASE("with the emulators' key, control needs no signature, and pages of other sites get no answer") {
  Asked asked(Asked::start, Access::emulator);
  CHECK(asked.get("/dbs").status == 401);
  CHECK(asked.get("/_mayfly/clock").status == 200);
  for (const char* host : {"localhost:8081", "127.0.0.1:8081", "[::1]:8081", "127.0.0.1"}) {
    const std::string origin = std::string("http://") + host;
    CHECK(asked.get("/_mayfly/clock", {{"host", host}}).status == 200);
    CHECK(asked.get("/_mayfly/clock", {{"host", host}, {"origin", origin}, {"sec-fetch-site", "same-origin"}}).status ==
          200);
  }
  const std::vector<Asked::Fields> others{{{"host", "evil.example:8081"}},
                                          {{"host", "localhost.evil.example"}},
                                          {{"host", "127.evil.example"}, {"origin", "http://127.evil.example"}},
                                          {{"host", "127.0.0.1.evil.example:8081"}},
                                          {{"host", "[::1].evil.example"}},
                                          {{"host", "[::1]evil:8081"}},
                                          {{"host", "::1"}},
                                          {{"host", "[127.0.0.1]"}},
                                          {{"host", "127.1"}},
                                          {{"host", "8.8.8.8"}},
                                          {{"host", ""}},
                                          {{"host", "localhost:8081"}, {"origin", "http://evil.example"}},
                                          {{"host", "localhost:8081"}, {"origin", "null"}},
                                          {{"host", "localhost:8081"}, {"origin", "http://localhost:3000"}},
                                          {{"host", "localhost:8081"}, {"sec-fetch-site", "cross-site"}}};
  for (const auto& fields : others) {
    CHECK(asked.ask(Verb::post, "/_mayfly/reset", "", fields).status == 403);
    CHECK(asked.get("/dbs", fields).status == 403);
  }
  Asked own(Asked::start, Access::own_key);
  CHECK(own.get("/_mayfly/clock").status == 401);
  CHECK(own.ask(Verb::post, "/_mayfly/reset").status == 401);
  // Past the origin, the signature is missing.
  const auto status_from = [](Asked& server, const char* origin) {
    return server.get("/_mayfly/clock", {{"host", "localhost:8081"}, {"origin", origin}}).status;
  };
  CHECK(status_from(own, "http://localhost:8081") == 401);
  CHECK(status_from(own, "https://localhost:8081") == 401);
  CHECK(status_from(own, "https://evil.example") == 403);
  CHECK(status_from(asked, "https://localhost:8081") == 403);
}

TEST_CASE("a restarted server goes on with what it had: items, deadlines, versions and time") {
  const auto file = std::filesystem::temp_directory_path() / fmt::format("mayfly-serve-{}.db", ::getpid());
  std::filesystem::remove(file);
  const auto open = [&] {
    return Service({.access = Access::open}, ServiceClock::virtual_from(Asked::start), Journal(file));
  };
  const auto ask = [](Service& service, Verb verb, std::string_view target, std::string_view body = "") {
    const Field field{"x-ms-documentdb-partitionkey", R"(["p"])"};
    const Response response = service.answer({.verb = verb, .target = target, .fields = {&field, 1}, .body = body});
    CHECK(!service.commit());
    return response;
  };
  std::string etag;
  {
    Service service = open();
    ask(service, Verb::post, "/dbs", R"({"id":"d"})");
    ask(service, Verb::post, "/dbs/d/colls", R"({"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":10})");
    ask(service, Verb::post, items, R"({"id":"a","pk":"p","n":1.50})");
    ask(service, Verb::post, items, R"({"id":"b","pk":"p","ttl":100})");
    ask(service, Verb::post, "/_mayfly/clock/advance", R"({"seconds":9})");
    etag = ask(service, Verb::get, items + "/a").etag;
  }
  {
    Service service = open();
    CHECK(service.clock().now() == Asked::start + Seconds{9});
    const Response read = ask(service, Verb::get, items + "/a");
    CHECK(read.status == 200);
    CHECK(read.etag == etag);
    CHECK(read.body.find("\"n\":1.50") != std::string::npos);
    ask(service, Verb::post, "/_mayfly/clock/advance", R"({"seconds":1})");
    CHECK(ask(service, Verb::get, items + "/a").status == 404);
    CHECK(ask(service, Verb::put, "/dbs/d/colls/c", R"({"id":"c","partitionKey":{"paths":["/pk"]}})").status == 200);
  }
  {
    Service service = open();
    CHECK(ask(service, Verb::get, items + "/a").status == 404);  // X4: it does not come back
    CHECK(ask(service, Verb::get, items + "/b").status == 200);
    const Response created = ask(service, Verb::post, items, R"({"id":"a","pk":"p"})");
    CHECK(created.status == 201);
    CHECK(created.etag > etag);
  }
  for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + end);
}

TEST_CASE("what a full file cannot take is answered with 507, undone, and the server goes on") {
  const auto file = std::filesystem::temp_directory_path() / fmt::format("mayfly-full-{}.db", ::getpid());
  std::filesystem::remove(file);
  {
    Service service({.access = Access::open}, ServiceClock::virtual_from(Asked::start), Journal(file, {.pages = 40}));
    const auto ask = [&](Verb verb, std::string_view target, std::string_view body = "") {
      const Field field{"x-ms-documentdb-partitionkey", R"(["p"])"};
      const Response response = service.answer({.verb = verb, .target = target, .fields = {&field, 1}, .body = body});
      const auto failure = service.commit();
      return failure ? *failure : response;
    };
    ask(Verb::post, "/dbs", R"({"id":"d"})");
    ask(Verb::post, "/dbs/d/colls", R"({"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":10})");
    CHECK(ask(Verb::post, items, R"({"id":"small","pk":"p"})").status == 201);
    const std::string large(500'000, 'x');
    CHECK(ask(Verb::post, items, R"({"id":"large","pk":"p","x":")" + large + "\"}").status == 507);
    CHECK(ask(Verb::get, items + "/large").status == 404);
    CHECK(ask(Verb::get, items + "/small").status == 200);
    CHECK(ask(Verb::post, items, R"({"id":"other","pk":"p"})").status == 201);
  }
  for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + end);
}

}  // namespace mayfly::test
