#include "mayfly/serve/service/partition_key.hpp"

#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "mayfly/serve/service/effective_key.hpp"
#include "mayfly/sim/random.hpp"
#include "with_container.hpp"

namespace mayfly::test {

namespace {

namespace json = boost::json;
using namespace serve;

constexpr std::string_view key_field = "x-ms-documentdb-partitionkey";

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

TEST_CASE("C1: texts are one partition key exactly if they are the same code points, escaped or not") {
  WithContainer asked;
  const auto create = [&](const char* value) {
    const std::string header = fmt::format("[\"{}\"]", value);
    return asked.post(docs_path, fmt::format(R"({{"id":"a","pk":"{}"}})", value), {{key_field, header}}).status;
  };
  const auto count = [&](const char* value) {
    const std::string header = fmt::format("[\"{}\"]", value);
    return ids_in(asked.query(docs_path, "SELECT * FROM c", {{key_field, header}})).size();
  };
  for (const char* value : {"a", "A", "a ", " a", "", "0", "00", "\u00e9", "e\u0301", "a\\u0000", "a\\u0000b", "a\\n",
                            "a/b", "a\\\\b", "a\\\"b", "a,b", "a\\\",\\\"b", "\\ud83d\\ude00", "\\u202ea"}) {
    CAPTURE(value);
    CHECK(create(value) == 201);
    CHECK(count(value) == 1);
  }
  CHECK(create("\\u0061") == 409);           // a
  CHECK(create("\\u00e9") == 409);           // é
  CHECK(create("\xf0\x9f\x98\x80") == 409);  // two surrogates when escaped
  CHECK(create("a\\/b") == 409);
}

TEST_CASE("a text has up to 2,048 bytes as a partition key") {
  WithContainer asked;
  const auto create = [&](std::size_t bytes) {
    return asked.post(docs_path, fmt::format(R"({{"id":"a","pk":"{}"}})", std::string(bytes, 'x')));
  };
  CHECK(create(2'048).status == 201);
  CHECK(create(2'049).status == 400);
  CHECK(message_of(create(2'049)) == "The value of the partition key has 2049 bytes; at most 2048 are allowed.");
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

TEST_CASE("the effective partition key is the one that clients compute") {
  for (const auto& [written, key] : std::vector<std::pair<std::string, std::string>>{
           {R"("A")", "14F53A0810CE6727EB1CD722D321216F"},
           {R"("sixteen bytes...","")", "204F9CAA3D8DE309844EDE375E21EB9B32E9366E637A71B4E710384B2F4970A0"},
           {"\"a text of more than thirty-two bytes, \u00e9\"", "0682348EFCE4B7728FB6D53A6A318DD2"},
           {R"("A",1.5,null)",
            "14F53A0810CE6727EB1CD722D321216F35C5DDEB6C795D16A9963C73C54E97BC378867E4430E67857ACE5C908374FE16"},
           {"true,false,-7",
            "0E711127C5B5A8E4726AC6DD306A3E592FE1BE91E90A3439635E0E9E37361EF21B0AD9007F20B649B04248EBD09C9145"},
           {R"("a,\"b\\",,"x")",
            "0AC8CBB0501BBCA9B1E3C697F4E1DC8811622DAA78F835834610ABE56EFF5CB511E3F358618BE9AA5BAFF4C7C74F0716"}})
    CHECK(effective_key(written) == key);
}

TEST_CASE("the prefix of a hierarchical key shows the items below it, and never those of another tenant") {
  Asked asked;
  asked.post("/dbs", R"({"id":"d"})");
  const std::string definition = R"({"paths":["/tenant","/user"],"kind":"MultiHash","version":2})";
  REQUIRE(asked.post("/dbs/d/colls", R"({"id":"c","partitionKey":)" + definition + "}").status == 201);
  const std::vector<std::string> tenants{R"("A")", R"("B")", R"("A,")", R"("A\",\"B")", "1", "null"};
  for (std::size_t i = 0; i < 5 * tenants.size(); ++i)
    REQUIRE(asked
                .post(docs_path, fmt::format(R"({{"id":"{}","tenant":{},"user":"{}"}})", i, tenants[i % tenants.size()],
                                             i / tenants.size()))
                .status == 201);
  for (std::size_t tenant = 0; tenant < tenants.size(); ++tenant) {
    CAPTURE(tenants[tenant]);
    std::set<std::string> expected;
    for (std::size_t i = tenant; i < 5 * tenants.size(); i += tenants.size()) expected.insert(std::to_string(i));
    const std::string first = effective_key(tenants[tenant]);
    const std::string end = first + "FF";
    const Asked::Fields fields{{"x-ms-start-epk", first},
                               {"x-ms-end-epk", end},
                               {"x-ms-read-key-type", "EffectivePartitionKeyRange"},
                               {"x-ms-documentdb-partitionkeyrangeid", "0"}};
    CHECK(ids_in(asked.get(docs_path, fields)) == expected);
    Asked::Fields changes = fields;
    changes.push_back({"a-im", "Incremental Feed"});
    CHECK(ids_in(asked.get(docs_path, changes)) == expected);
    CHECK(ids_in(asked.query(docs_path, "SELECT * FROM c", fields)) == expected);
    CHECK(ids_in(asked.query(docs_path, "SELECT * FROM c ORDER BY c.user", fields)) == expected);
  }
  CHECK(ids_in(asked.get(docs_path, {{"x-ms-start-epk", ""}, {"x-ms-end-epk", "FF"}})).size() == 5 * tenants.size());
  CHECK(asked.get(docs_path, {{"x-ms-start-epk", "no digits"}}).status == 400);
  asked.post("/dbs/d/colls", R"({"id":"first","partitionKey":{"paths":["/pk"]}})");
  CHECK(asked.get("/dbs/d/colls/first/docs", {{"x-ms-start-epk", "05"}}).status == 400);
}

}  // namespace mayfly::test
