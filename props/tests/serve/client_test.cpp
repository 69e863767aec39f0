#include <string>

#include <doctest/doctest.h>

#include "mayfly/serve/service/resource_id.hpp"
#include "with_container.hpp"

// What the service's clients rely on without saying so: each of these stops one of them, or makes it wait for ever.

namespace mayfly::test {

namespace {

namespace json = boost::json;
using namespace serve;

std::string text_at(const Response& response, std::string_view name) {
  const json::value body = json_of(response);
  return std::string(std::string_view(body.at(name).as_string()));
}

}  // namespace

TEST_CASE("a resource id has the bits by which clients tell databases, containers, items and offers apart") {
  CHECK(to_text({.database = 1}) == "AAAAAQ==");
  CHECK(to_text({.database = 1, .container = 2}) == "AAAAAYAAAAI=");
  CHECK(to_text({.database = 1, .container = 2, .item = 3}) == "AAAAAYAAAAIDAAAAAAAAAA==");
  CHECK(to_text({.database = 0xffffffff, .container = 0x7fffffff, .item = 0x0fffffffffffffff}) ==
        "--------------------Dw==");
  CHECK(offer_rid(0x400001) == "QAAB");
  for (const ResourceId& id : {ResourceId{1, 0, 0}, ResourceId{0xffffffff, 0x7fffffff, 0}, ResourceId{7, 8, 9},
                               ResourceId{7, 8, 0x0fffffffffffffff}})
    CHECK(parse_resource_id(to_text(id)) == id);
  for (const char* other : {"", "QAAB", "AAAAAQA=", "AAAAAQAAAAI=", "AAAAAYAAAAI", "AAAAAYAAAAIDAAAAAAAAgA==",
                            "AAAAAYAAAAIAAAAAAAAAAA==", "AAAAAYAAAAA=", "AAAA/w==", "::::::=="})
    CHECK(!parse_resource_id(other));
  WithContainer asked;
  const std::string database = text_at(asked.get("/dbs/d"), "_rid");
  const std::string container = text_at(asked.get("/dbs/d/colls/c"), "_rid");
  const std::string item = text_at(asked.put_item("a"), "_rid");
  CHECK(parse_resource_id(container)->database == parse_resource_id(database)->database);
  CHECK(parse_resource_id(item)->container == parse_resource_id(container)->container);
  CHECK(asked.get("/dbs/" + database + "/colls/" + container + "/pkranges").status == 200);
}

TEST_CASE("the account names a consistency level, and how to configure a query engine as a text that holds an object") {
  Asked asked;
  const json::value account = json_of(asked.get("/"));
  CHECK(account.at_pointer("/userConsistencyPolicy/defaultConsistencyLevel") == "Session");
  CHECK(!parse_json_object(text_at(asked.get("/"), "queryEngineConfiguration")).empty());
}

TEST_CASE("the plan of any query is to send it unchanged to the one range of keys") {
  WithContainer asked;
  for (const char* query : {"SELECT * FROM c", "SELECT VALUE COUNT(1) FROM c", "SELECT * FROM c ORDER BY c.n"}) {
    const Response plan = asked.query(docs_path, query, {{"x-ms-cosmos-is-query-plan-request", "True"}});
    CHECK(plan.status == 200);
    const json::value body = json_of(plan);
    CHECK(body.at_pointer("/queryInfo/distinctType") == "None");
    CHECK(!body.at("queryInfo").as_object().contains("rewrittenQuery"));
    CHECK(body.at("queryRanges") ==
          json::array{json::object{{"min", ""}, {"max", "FF"}, {"isMinInclusive", true}, {"isMaxInclusive", false}}});
  }
}

// As azure-cosmos 4.x for Python sends them before it reads items, and as the client for .NET does: again and again,
// with the etag of the last answer, until nothing has changed.
TEST_CASE("the ranges of keys are read as a feed of changes that ends") {
  WithContainer asked;
  const std::string by_name = "/dbs/d/colls/c/pkranges/";
  const std::string by_rid = "/" + text_at(asked.get("/dbs/d/colls/c"), "_self") + "pkranges";
  for (const std::string& path : {by_name, by_rid}) {
    std::string etag;
    int answers = 0;
    for (bool has_more = true; has_more; ++answers) {
      Asked::Fields fields{{"A-IM", "Incremental Feed"}, {"x-ms-max-item-count", "-1"}};
      if (!etag.empty()) fields.push_back({"If-None-Match", etag});
      const Response page = asked.get(path, fields);
      has_more = page.status == 200;
      if (!has_more) {
        CHECK(page.status == 304);
        CHECK(page.body.empty());
      }
      REQUIRE(!page.etag.empty());
      etag = page.etag;
      REQUIRE(answers < 3);
    }
    CHECK(answers == 2);
    asked.put_item("a");
    CHECK(asked.ask(Verb::put, "/dbs/d/colls/c", R"({"id":"c","partitionKey":{"paths":["/pk"]}})").status == 200);
    CHECK(asked.get(path, {{"If-None-Match", etag}}).status == 304);
  }
  const std::string etag = asked.get(by_name).etag;
  CHECK(asked.ask(Verb::erase, "/dbs/d/colls/c").status == 204);
  CHECK(asked.post("/dbs/d/colls", R"({"id":"c"})").status == 201);
  CHECK(asked.get(by_name, {{"If-None-Match", etag}}).status == 200);
}

}  // namespace mayfly::test
