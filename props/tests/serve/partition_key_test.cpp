#include "mayfly/serve/service/partition_key.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "mayfly/sim/random.hpp"
#include "with_container.hpp"

namespace mayfly::test {

namespace {

namespace json = boost::json;
using namespace serve;

}  // namespace

TEST_CASE("a partition key may be any plain value, and 1 and 1.0 are the same") {
  WithContainer asked;
  for (const char* value : {"\"p\"", "1", "-3.25", "true", "null", "\"\"", "\"\\u00e9\"", "12345678901"}) {
    CAPTURE(value);
    const std::string header = fmt::format("[{}]", value);
    const Asked::Fields fields{{"x-ms-documentdb-partitionkey", header}};
    CHECK(asked.post(docs_path, fmt::format(R"({{"id":"a","pk":{}}})", value), fields).status == 201);
    CHECK(asked.get(docs_path + "/a", fields).status == 200);
  }
  CHECK(asked.get(docs_path + "/a", {{"x-ms-documentdb-partitionkey", "[1.0]"}}).status == 200);
  CHECK(asked.post(docs_path, R"({"id":"none"})", {{"x-ms-documentdb-partitionkey", "[{}]"}}).status == 201);
  CHECK(asked.get(docs_path + "/none", {{"x-ms-documentdb-partitionkey", "[{}]"}}).status == 200);
  CHECK(asked.get(docs_path + "/none", {{"x-ms-documentdb-partitionkey", "[null]"}}).status == 404);
  CHECK(asked.post(docs_path, R"({"id":"b","pk":"x"})", in_p).status == 400);
  CHECK(asked.get(docs_path + "/a").status == 400);
  for (const char* header : {"p", "[", "\"p\"", "[1,2]", "{}", "[1e999]"}) {
    const Response refused = asked.get(docs_path + "/a", {{"x-ms-documentdb-partitionkey", header}});
    CHECK(refused.status == 400);
    CHECK(message_of(refused).starts_with("x-ms-documentdb-partitionkey must be a JSON list"));
  }
}

TEST_CASE("numbers are one partition key exactly if they are one double") {
  WithContainer asked;
  const auto create = [&](const std::string& id, const std::string& number) {
    return asked.post(docs_path, fmt::format(R"({{"id":"{}","pk":{}}})", id, number)).status;
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

TEST_CASE("a text is the same partition however it is escaped, in a header and in an item") {
  WithContainer asked;
  const std::vector<std::vector<std::string>> same_texts{{R"("a/b")", R"("a\/b")", R"("\u0061/b")"},
                                                         {R"("\"\\")", R"("\u0022\u005c")"},
                                                         {"\"\u00e9\"", R"("\u00e9")"},
                                                         {R"("~ ")", R"("\u007e ")"}};
  for (const auto& texts : same_texts)
    for (const auto& written : texts) {
      CHECK(
          asked
              .post(docs_path, fmt::format(R"({{"id":"a","pk":{}}})", written), {{"x-ms-documentdb-is-upsert", "true"}})
              .status < 300);
      for (const auto& text : texts) {
        CAPTURE(text);
        const std::string header = fmt::format("[{}]", text);
        CHECK(asked.get(docs_path + "/a", {{"x-ms-documentdb-partitionkey", header}})
                  .body.starts_with(fmt::format(R"({{"id":"a","pk":{})", written)));
      }
    }
}

TEST_CASE("a container without a partition key has one partition, and a path may name a nested property") {
  Asked asked;
  asked.post("/dbs", R"({"id":"d"})");
  CHECK(asked.post("/dbs/d/colls", R"({"id":"c"})").status == 201);
  CHECK(asked.post(docs_path, R"({"id":"a"})").status == 201);
  CHECK(asked.get(docs_path + "/a").status == 200);
  CHECK(asked.get(docs_path + "/a", {{"x-ms-documentdb-partitionkey", "[{}]"}}).status == 200);
  CHECK(asked.post("/dbs/d/colls", R"({"id":"deep","partitionKey":{"paths":["/a/\"b c\""]}})").status == 201);
  CHECK(asked.post("/dbs/d/colls/deep/docs", R"({"id":"i","a":{"b c":7}})", {{"x-ms-documentdb-partitionkey", "[7]"}})
            .status == 201);
  for (const char* path : {"", "a", "/", "//a", "/a/", "/\"a"})
    CHECK(asked.post("/dbs/d/colls", json::serialize(json::value{{"id", "x"}, {"partitionKey", {{"paths", {path}}}}}))
              .status == 400);
}

}  // namespace mayfly::test
