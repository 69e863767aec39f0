#include <string>

#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "mayfly/serve/service/item_operation.hpp"
#include "with_container.hpp"

namespace mayfly::test {

namespace {

namespace json = boost::json;
using namespace serve;

}  // namespace

TEST_CASE("an item is returned byte for byte as written, followed by the server's own properties") {
  WithContainer asked;
  const std::string text = R"({"id":"a b", "pk":"p","n":1.50,"big":12345678901234567890123,"e":"\u00e9","l":[ 1 ]})";
  const Response created = asked.post(docs_path, text);
  REQUIRE(created.status == 201);
  CHECK(created.body.starts_with(text.substr(0, text.size() - 1) + ",\"_rid\":\""));
  CHECK(created.etag == R"("00000000-0000-0000-0000-000000000005")");
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
  const Response replaced = asked.ask(Verb::put, docs_path + "/a", created.body, in_p);
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

TEST_CASE("a number is shown with the digits it was written with, by queries and after a patch") {
  WithContainer asked;
  asked.put_item("a", R"(,"n":0.9369347054789313)");
  const auto shown = [&](const std::string& condition) {
    return json_of(asked.query(docs_path, "SELECT VALUE c.n FROM c" + condition)).at("Documents").as_array();
  };
  CHECK(shown("") == json::array{0.9369347054789313});
  CHECK(shown(" WHERE c.n = 0.9369347054789313") == json::array{0.9369347054789313});
  CHECK(shown(" WHERE c.n = 0.9369347054789312") == json::array{});
  const Response patched =
      asked.ask(Verb::patch, docs_path + "/a", R"({"operations":[{"op":"add","path":"/m","value":1}]})", in_p);
  CHECK(patched.status == 200);
  CHECK(shown("") == json::array{0.9369347054789313});
}

TEST_CASE("a number beyond a double is refused by every write, and changes nothing") {
  WithContainer asked;
  asked.put_item("a");
  for (const char* number : {"1e999", "-1e999", "1e309", "1e99999999999999999999", "1e-99999999999"}) {
    CAPTURE(number);
    CHECK(asked.put_item("a", fmt::format(R"(,"n":{})", number)).status == 400);
    CHECK(
        asked.ask(Verb::put, docs_path + "/a", fmt::format(R"({{"id":"a","pk":"p","n":[{}]}})", number), in_p).status ==
        400);
    CHECK(asked
              .ask(Verb::patch, docs_path + "/a",
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

TEST_CASE("names with different escapes for the same characters are equal") {
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
      asked.post(docs_path, R"([{"operation\u0054ype":"Create","resourceBod\u0079":{"id":"b","pk":"p"}}])",
                 {in_p[0], {"x-ms-cosmos-is-batch-request", "True"}});
  CHECK(json_of(batch).at(0).at("statusCode") == 201);
}

TEST_CASE("properties beside a ttl are returned byte for byte, quotes and brackets in texts included") {
  WithContainer asked;
  const std::string rest = R"(,"x":"\\","y\"":"}\"]\\\"",":":[{"ttl":"\\\""},[]],"n":-1.5e3,"t":true)";
  const Response created = asked.put_item("a", R"(,"ttl":5 )" + rest);
  REQUIRE(created.status == 201);
  CHECK(created.body.starts_with(R"({"id":"a","pk":"p")" + rest + ",\"ttl\":5,\"_rid\":\""));
}

TEST_CASE("ids have 1 to 255 bytes, those of items up to 1,023, without / \\ ? or #") {
  WithContainer asked;
  const auto body_of = [](const std::string& id) {
    return json::serialize(json::value{{"id", id}, {"pk", "p"}, {"partitionKey", {{"paths", {"/p"}}}}});
  };
  const std::vector<std::string> everywhere{"/dbs", "/dbs/d/colls", docs_path};
  for (const std::string& id : {std::string(255, 'x'), std::string(" "), std::string("é%+&=.,:@"), std::string("\x01")})
    for (const auto& where : everywhere) CHECK(asked.post(where, body_of(id)).status == 201);
  const std::string longest(1'023, 'x');
  CHECK(asked.post(docs_path, body_of(longest)).status == 201);
  CHECK(asked.read(longest).status == 200);
  CHECK(asked.read("%C3%A9%25+&=.,:@").status == 200);
  for (const char* id : {"", "a/b", "a\\b", "a?", "#"})
    for (const auto& where : everywhere) CHECK(asked.post(where, body_of(id)).status == 400);
  CHECK(message_of(asked.post(docs_path, body_of("a/b"))) == "The id must not contain '/'.");
  const std::string tells = "bytes; at most 255 are allowed.";
  CHECK(message_of(asked.post("/dbs", body_of(longest))) == "The id has 1023 " + tells);
  CHECK(message_of(asked.post("/dbs/d/colls", body_of(longest))) == "The id has 1023 " + tells);
  CHECK(message_of(asked.post(docs_path, body_of(longest + "x"))) ==
        "The id has 1024 bytes; at most 1023 are allowed.");
  for (const char* body : {R"({"pk":"p"})", R"({"id":5})", R"({"id":null})"})
    CHECK(asked.post(docs_path, body).status == 400);
}

TEST_CASE("C1: ids that look alike are those of different items, each read under its own path") {
  WithContainer asked;
  const std::pair<const char*, const char*> ids[]{
      {"a", "a"},
      {"A", "A"},
      {"a ", "a%20"},
      {" a", "%20a"},
      {"a%20", "a%2520"},
      {"a+", "a%2b"},
      {"0", "0"},
      {"00", "00"},
      {"\\u00e9", "%c3%a9"},
      {"e\\u0301", "e%cc%81"},
      {"%c3%a9", "%25c3%25a9"},
      {"a\\u0000", "a%00"},
      {"a\\u0000b", "a%00b"},
      {"a\\n", "a%0a"},
      {".", "%2e"},
      {"..", "%2e%2e"},
      {"\\ud83d\\ude00", "%f0%9f%98%80"},
      {"\\u202ea", "%e2%80%aea"},
      {"a:b", "a:b"},
      {"a|b", "a%7cb"},
  };
  for (const auto& [id, path] : ids) CHECK(asked.put_item(id, fmt::format(",\"path\":\"{}\"", path)).status == 201);
  for (const auto& [id, path] : ids) CHECK(json_of(asked.read(path)).at("path") == path);
  CHECK(ids_in(asked.query(docs_path, "SELECT * FROM c")).size() == std::size(ids));
  for (const auto& [id, path] : ids) {
    CHECK(asked.ask(Verb::erase, docs_path + "/" + path, "", in_p).status == 204);
    CHECK(asked.read(path).status == 404);
  }
}

TEST_CASE("an invalid item is refused, and the server goes on") {
  WithContainer asked;
  std::string deep = R"({"id":"a","x":)";
  for (int i = 0; i < 100'000; ++i) deep += '[';
  for (const std::string& body :
       {std::string(), std::string("{"), std::string("nonsense"), std::string("[]"), std::string("5"), deep,
        std::string("{\"id\":\"\xff\"}"), std::string(R"({"id":"a"} {"id":"b"})"), std::string("{\"id\":\"a\n\"}"),
        std::string(1, '\0')})
    CHECK(asked.post(docs_path, body).status == 400);
  std::string nested = "1";
  for (int i = 0; i < 120; ++i) nested = "[" + nested + "]";
  CHECK(asked.put_item("deep", ",\"x\":" + nested).status == 201);
  CHECK(asked.query(docs_path, "SELECT * FROM c").status == 200);
  CHECK(asked.put_item("long", ",\"x\":\"" + std::string(2 * 1024 * 1024, 'x') + "\"").status == 413);
  CHECK(asked.put_item("large", ",\"x\":\"" + std::string(2 * 1024 * 1024 - 100, 'x') + "\"").status == 201);
  CHECK(asked
            .ask(Verb::patch, docs_path + "/large",
                 R"([{"op":"add","path":"/y","value":")" + std::string(200, 'y') + "\"}]", in_p)
            .status == 413);
}

TEST_CASE("if-match and if-none-match guard an item") {
  WithContainer asked;
  const std::string first = asked.put_item("a").etag;
  const std::string second = asked.put_item("a").etag;
  const auto put = [&](const std::string& etag) {
    return asked.ask(Verb::put, docs_path + "/a", R"({"id":"a","pk":"p"})", {in_p[0], {"if-match", etag}}).status;
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
        .post(docs_path, R"({"id":"a","pk":"p"})",
              {{"x-ms-documentdb-is-upsert", "true"}, {"if-none-match", condition}})
        .status;
  };
  CHECK(upsert("*") == 412);
  CHECK(asked.ask(Verb::put, docs_path + "/a", R"({"id":"a","pk":"p","n":1})", {in_p[0], {"if-none-match", "*"}})
            .status == 200);
  CHECK(asked.ask(Verb::erase, docs_path + "/a", "", {in_p[0], {"if-match", first}}).status == 412);
  CHECK(asked.ask(Verb::erase, docs_path + "/a", "", {in_p[0], {"if-match", now}}).status == 412);
  CHECK(asked.ask(Verb::erase, docs_path + "/a", "", {in_p[0], {"if-none-match", "*"}}).status == 204);
  CHECK(upsert("*") == 201);
}

TEST_CASE("W4: a patch changes what it names, keeps the ttl, and starts the countdown again") {
  WithContainer asked;
  asked.put_item("a", R"(,"ttl":5,"n":1,"l":[1],"gone":true)");
  asked.advance(4);
  const Response patched = asked.ask(
      Verb::patch, docs_path + "/a",
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
  const auto patch = [&](const char* body) { return asked.ask(Verb::patch, docs_path + "/a", body, in_p).status; };
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

}  // namespace mayfly::test
