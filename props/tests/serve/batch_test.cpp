#include "mayfly/serve/service/batch.hpp"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "with_container.hpp"

namespace mayfly::test {

namespace {

namespace json = boost::json;
using namespace serve;

}  // namespace

TEST_CASE("a batch sees its own writes, and is executed as a whole or not at all") {
  WithContainer asked;
  asked.put_item("old", R"(,"n":1)");
  const auto batch = [&](const char* body, bool is_atomic = true) {
    return asked.post(docs_path, body,
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

TEST_CASE("the answers of a batch have at most 2 MB, and operations that would exceed them have no effect") {
  WithContainer asked;
  asked.put_item("large", ",\"x\":\"" + std::string(1'500'000, 'x') + '"');
  const auto batch = [&](const std::string& body, const char* is_atomic) {
    return asked.post(docs_path, body,
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

TEST_CASE("a batch takes an item of the largest size") {
  WithContainer asked;
  const auto batch = [&](const std::string& operation, const char* is_atomic) {
    const Response response =
        asked.post(docs_path, "[" + operation + "]",
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

}  // namespace mayfly::test
