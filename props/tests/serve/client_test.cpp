#include <string>
#include <utility>
#include <vector>

#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

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

TEST_CASE("the throughput given at creation is kept, found by its resource and replaced") {
  Asked asked;
  const std::string key = R"(,"partitionKey":{"paths":["/pk"]}})";
  const auto offers_of = [&](const std::string& path) {
    const std::string rid = text_at(asked.get(path), "_rid");
    const Response found = asked.query("/offers", "SELECT * FROM root r WHERE r.offerResourceId = '" + rid + "'");
    return json_of(found).at("Offers").as_array();
  };
  REQUIRE(asked.post("/dbs", R"({"id":"d"})").status == 201);
  REQUIRE(asked.post("/dbs", R"({"id":"shared"})", {{"x-ms-offer-throughput", "1000"}}).status == 201);
  REQUIRE(asked.post("/dbs/d/colls", R"({"id":"c")" + key, {{"x-ms-offer-throughput", "20000"}}).status == 201);
  REQUIRE(asked.post("/dbs/d/colls", R"({"id":"default")" + key).status == 201);
  REQUIRE(asked.post("/dbs/shared/colls", R"({"id":"none")" + key).status == 201);
  const Asked::Fields autoscale{{"x-ms-cosmos-offer-autopilot-settings", R"({"maxThroughput":4000})"}};
  REQUIRE(asked.post("/dbs/shared/colls", R"({"id":"auto")" + key, autoscale).status == 201);

  CHECK(offers_of("/dbs/d").empty());
  CHECK(offers_of("/dbs/shared").at(0).at_pointer("/content/offerThroughput") == 1000);
  CHECK(offers_of("/dbs/d/colls/default").at(0).at_pointer("/content/offerThroughput") == 400);
  CHECK(offers_of("/dbs/shared/colls/none").empty());
  const json::value automatic = offers_of("/dbs/shared/colls/auto").at(0);
  CHECK(automatic.at_pointer("/content/offerAutopilotSettings/maxThroughput") == 4000);
  CHECK(json_of(asked.get("/offers", {{"x-ms-documentdb-isquery", "True"}})).at("_count") == 4);

  json::value offer = offers_of("/dbs/d/colls/c").at(0);
  CHECK(offer.at("resource") == json_of(asked.get("/dbs/d/colls/c")).at("_self"));
  const std::string by_resource = R"(SELECT VALUE root FROM root WHERE (root["resource"] = ")" +
                                  std::string(std::string_view(offer.at("resource").as_string())) + "\")";
  CHECK(json_of(asked.query("/offers", by_resource)).at("Offers").at(0) == offer);
  const std::string link = "/offers/" + std::string(std::string_view(offer.at("id").as_string()));
  CHECK(json_of(asked.get(link)) == offer);
  CHECK(asked.get(link).least_throughput == "400");
  const auto replace = [&](const std::string& content, const Asked::Fields& fields = {}) {
    offer.as_object()["content"] = parse_json(content);
    return asked.ask(Verb::put, link, json::serialize(offer), fields).status;
  };
  CHECK(replace(R"({"offerThroughput":500})", {{"if-match", "\"other\""}}) == 412);
  CHECK(replace(R"({"offerThroughput":500})", {{"if-match", asked.get(link).etag}}) == 200);
  CHECK(offers_of("/dbs/d/colls/c").at(0).at_pointer("/content/offerThroughput") == 500);
  for (const char* bad :
       {R"({"offerThroughput":300})", R"({"offerThroughput":450})", R"({"offerThroughput":"x"})", "{}",
        R"({"offerThroughput":1000100})", R"({"offerAutopilotSettings":{"maxThroughput":4000}})"})
    CHECK(replace(bad) == 400);
  CHECK(asked.ask(Verb::put, link, "{}").status == 400);
  CHECK(asked.ask(Verb::erase, link).status == 405);
  for (const char* bad : {"399", "x", "-400", "1e99", ""})
    CHECK(asked.post("/dbs/d/colls", R"({"id":"x")" + key, {{"x-ms-offer-throughput", bad}}).status == 400);
  for (const char* bad : {"4000", "{}", R"({"maxThroughput":1500})"})
    CHECK(asked.post("/dbs", R"({"id":"x"})", {{"x-ms-cosmos-offer-autopilot-settings", bad}}).status == 400);
  CHECK(asked.get("/dbs/x").status == 404);
  asked.ask(Verb::erase, "/dbs/d/colls/c");
  CHECK(asked.get(link).status == 404);
}

TEST_CASE("what the server does not have is refused by name, whether the request is signed or not") {
  Asked signed_only(Asked::start, Access::emulator);
  const std::vector<std::pair<std::string, std::string>> missing{
      {"/dbs/d/users", "users"},
      {"/dbs/d/users/u/permissions", "users"},
      {"/dbs/d/clientencryptionkeys", "client encryption keys"},
      {"/dbs/d/colls/c/sprocs/s", "stored procedures"},
      {"/dbs/d/colls/c/triggers", "triggers"},
      {"/dbs/d/colls/c/udfs", "user-defined functions"},
      {"/dbs/d/colls/c/conflicts", "conflicts"},
      {"/dbs/d/colls/c/operations/partitionkeydelete", "deleting all items of a partition key"},
      {"/dbs/d/colls/c/docs/i/attachments", "attachments"},
      {"/somethings", "'somethings'"}};
  for (const auto& each : missing) {
    CAPTURE(each.first);
    const Response refused = signed_only.post(each.first, "{}");
    CHECK(refused.status == 501);
    CHECK(message_of(refused).find(each.second) != std::string::npos);
  }
  const Response direct = signed_only.get("//addresses/?$resolveFor=dbs/d/colls/c/docs");
  CHECK(direct.status == 400);
  CHECK(message_of(direct).find("ConnectionMode.Gateway") != std::string::npos);
}

TEST_CASE("a setting or a header that the server would have to ignore is refused by name") {
  WithContainer asked;
  const auto definition = [](const std::string& more) {
    return R"({"id":"c","partitionKey":{"paths":["/pk"]},)" + more + "}";
  };
  for (const char* name : {"ttlPropertyPath", "computedProperties", "materializedViewDefinition",
                           "clientEncryptionPolicy", "analyticalStorageTtl"}) {
    CAPTURE(name);
    const std::string body = definition(fmt::format(R"("{}":[{{"name":"x"}}])", name));
    CHECK(message_of(asked.post("/dbs/d/colls", body)).find(name) != std::string::npos);
    CHECK(asked.ask(Verb::put, "/dbs/d/colls/c", body).status == 400);
  }
  CHECK(
      asked.ask(Verb::put, "/dbs/d/colls/c", definition(R"("computedProperties":[],"ttlPropertyPath":null)")).status ==
      200);
  for (const char* key : {R"({"paths":["/a"],"kind":"Round"})", R"({"paths":["/a","/b"],"kind":"Hash"})",
                          R"({"paths":["/a"],"version":3})", R"({"paths":["/a"],"kind":7})"})
    CHECK(asked.post("/dbs/d/colls", fmt::format(R"({{"id":"x","partitionKey":{}}})", key)).status == 400);
  CHECK(asked.get("/dbs/d/colls/x").status == 404);
  const std::string item = R"({"id":"a","pk":"p"})";
  for (const char* name : {"x-ms-documentdb-pre-trigger-include", "x-ms-documentdb-post-trigger-include"}) {
    CHECK(message_of(asked.post(docs_path, item, {{name, "t"}})).find("triggers") != std::string::npos);
    CHECK(asked.get(docs_path, {{name, ""}}).status == 200);
  }
  CHECK(asked.post(docs_path, item, {{"x-ms-indexing-directive", "Exclude"}}).status == 400);
  CHECK(ids_in(asked.get(docs_path)).empty());
}

TEST_CASE("answers have the substatus and the headers that clients read") {
  WithContainer asked;
  CHECK(asked.put_item("a").session_token != asked.put_item("a").session_token);
  CHECK(asked.read("a").session_token.starts_with("0:-1#"));
  CHECK(asked.get("/dbs/d/colls/c").session_token.empty());
  CHECK(asked.read("a", {{"x-ms-activity-id", "7c5d2f6e-9c9b-4c7e-8a3d-0d5b9f1c2a3b"}}).activity_id ==
        "7c5d2f6e-9c9b-4c7e-8a3d-0d5b9f1c2a3b");
  CHECK(asked.read("a").activity_id.size() == 36);
  CHECK(asked.read("a").activity_id != asked.read("a").activity_id);
  const std::string query = "SELECT * FROM c";
  CHECK(asked.query(docs_path, query).query_metrics.empty());
  CHECK(asked.query(docs_path, query, {{"x-ms-documentdb-populatequerymetrics", "True"}})
            .query_metrics.find("outputDocumentCount=1;") != std::string::npos);
  const Response other = asked.post(docs_path, R"({"id":"b","pk":"q"})", in_p);
  CHECK(other.status == 400);
  CHECK(other.substatus == wrong_partition_key);
  CHECK(asked.get(docs_path, {{"x-ms-documentdb-partitionkey", R"(["p","q"])"}}).substatus == wrong_partition_key);
  CHECK(asked.read("b").substatus == 0);
  CHECK(asked.get("/dbs/d/colls/x/docs/a", in_p).substatus == no_owner);
  CHECK(asked.get("/dbs/x/colls/c/pkranges").substatus == no_owner);
}

}  // namespace mayfly::test
