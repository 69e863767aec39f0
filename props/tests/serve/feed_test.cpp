#include <array>
#include <set>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "mayfly/serve/service/item_feed.hpp"
#include "mayfly/sim/random.hpp"
#include "with_container.hpp"

namespace mayfly::test {

namespace {

namespace json = boost::json;
using namespace serve;

}  // namespace

TEST_CASE("X2: pages show every item that stays exactly once, while others expire, are deleted and are added") {
  // `n` has every type, many ties, and values that an item may take while pages are read.
  const auto value_of = [](std::uint64_t draw) {
    const std::array<const char*, 8> values{
        "1", "2", "2.0", "\"a\"", "\"\\u00e4\\n, and so long that it needs memory of its own\"", "null", "[1]", "true"};
    return values[draw % values.size()];
  };
  const std::array<const char*, 8> queries{"",
                                           "SELECT * FROM c",
                                           "SELECT * FROM c WHERE c.stays",
                                           "SELECT * FROM c ORDER BY c.n",
                                           "SELECT * FROM c ORDER BY c.n DESC",
                                           "SELECT * FROM c ORDER BY c.n DESC, c.m",
                                           "SELECT TOP 1000 * FROM c ORDER BY c.m",
                                           "SELECT DISTINCT c.id FROM c"};
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    Random random(seed);
    WithContainer asked(R"(,"defaultTtl":-1)");
    const auto put = [&](const std::string& id, const std::string& more) {
      REQUIRE(asked.put_item(id, fmt::format(",\"n\":{},\"m\":{}{}", value_of(random.below(8)), random.below(5), more))
                  .status < 300);
    };
    std::set<std::string> staying;
    for (std::uint64_t i = 0; i < 120; ++i) {
      const bool stays = random.one_in(2);
      const std::string id = fmt::format("i{}", i);
      put(id, stays ? ",\"stays\":true" : fmt::format(",\"ttl\":{}", 1 + random.below(30)));
      if (stays) staying.insert(id);
    }
    const std::string sql = queries[seed % queries.size()];
    std::multiset<std::string> seen;
    std::string from;
    std::uint64_t page = 0;
    do {
      Asked::Fields fields{{"x-ms-max-item-count", seed % 3 == 0 ? "1" : "7"}, {"x-ms-continuation", from}};
      if (seed % 5 == 0) fields.push_back(in_p[0]);
      const Response answer = sql.empty() ? asked.get(docs_path, fields) : asked.query(docs_path, sql, fields);
      REQUIRE(answer.status == 200);
      const auto ids = ids_in(answer);
      seen.insert(ids.begin(), ids.end());
      from = answer.continuation;
      asked.advance(1);
      if (random.one_in(2)) asked.post("/_mayfly/purge", R"({"budget":3})");
      const std::string other = fmt::format("i{}", random.below(120));
      if (!staying.contains(other)) asked.ask(Verb::erase, docs_path + "/" + other, "", in_p);
      if (++page < 100) put(fmt::format("new{}", page), "");
    } while (!from.empty() && page < 1000);
    CHECK(page < 1000);
    for (const auto& id : staying) CHECK_MESSAGE(seen.count(id) == 1, fmt::format("{} with {}", id, sql));
  }
}

TEST_CASE("without ORDER BY, items are shown in the order of their creation, also after a slot was used again") {
  WithContainer asked;
  for (const char* id : {"a", "b", "c", "d"}) asked.put_item(id);
  asked.ask(Verb::erase, docs_path + "/b", "", in_p);
  asked.ask(Verb::erase, docs_path + "/a", "", in_p);
  for (const char* id : {"e", "a", "f"}) asked.put_item(id);
  asked.put_item("c");  // replaced: it stays where it was
  for (const bool is_one_partition : {true, false}) {
    const Asked::Fields fields = is_one_partition ? in_p : Asked::Fields{};
    CHECK(json_of(asked.query(docs_path, "SELECT VALUE c.id FROM c", fields)).at("Documents") ==
          json::array{"c", "d", "e", "a", "f"});
    CHECK(json_of(asked.query(docs_path, "SELECT VALUE c.id FROM c ORDER BY c.pk", fields)).at("Documents") ==
          json::array{"c", "d", "e", "a", "f"});
  }
}

TEST_CASE("a query of several partitions needs leave, and one that fixes the partition key does not") {
  WithContainer asked;
  asked.put_item("a");
  const auto status = [&](const std::string& sql, const Asked::Fields& more = {}) {
    Asked::Fields fields{{"x-ms-documentdb-isquery", "True"}};
    fields.insert(fields.end(), more.begin(), more.end());
    return asked.post(docs_path, json::serialize(json::value{{"query", sql}}), fields).status;
  };
  CHECK(status("SELECT * FROM c") == 400);
  CHECK(status("SELECT * FROM c", {{"x-ms-documentdb-query-enablecrosspartition", "False"}}) == 400);
  CHECK(status("SELECT * FROM c", {{"x-ms-documentdb-query-enablecrosspartition", "True"}}) == 200);
  CHECK(status("SELECT * FROM c", in_p) == 200);
  CHECK(status("SELECT * FROM c", {{"x-ms-documentdb-partitionkeyrangeid", "0"}}) == 200);
  CHECK(status("SELECT * FROM c WHERE c.id = 'a' AND 'p' = c[\"pk\"]") == 200);
  CHECK(status("SELECT * FROM c WHERE c.id = 'a' OR c.pk = 'p'") == 400);
  CHECK(status("SELECT * FROM c WHERE c.pk > 'p'") == 400);
  CHECK(status("SELECT * FROM c WHERE c.pk = c.id") == 400);
}

TEST_CASE("a token of another query, container or server is refused") {
  WithContainer asked;
  for (const char* id : {"a", "b", "c"}) asked.put_item(id);
  const Asked::Fields one{{"x-ms-max-item-count", "1"}};
  const auto page_of = [&](const std::string& sql, const std::string& token) {
    return asked.query(docs_path, sql, {one[0], {"x-ms-continuation", token}});
  };
  const std::string plain = page_of("SELECT * FROM c", "").continuation;
  const std::string sorted = page_of("SELECT * FROM c ORDER BY c.id", "").continuation;
  CHECK(ids_in(page_of("SELECT * FROM c", plain)) == std::set<std::string>{"b"});
  CHECK(page_of("SELECT * FROM c ORDER BY c.id", plain).status == 400);
  CHECK(page_of("SELECT * FROM c", sorted).status == 400);
  const std::string start = plain.substr(0, plain.rfind('.') + 1);
  for (const std::string& text : {std::string("x"), std::string("00"), start, start + "x", start + "7b", start + "7b7d",
                                  start + "zz", "1." + plain, plain + "0", plain.substr(1)})
    CHECK_MESSAGE(page_of("SELECT * FROM c", text).status == 400, text);
  const std::string feed = asked.get(docs_path, one).continuation;
  CHECK(ids_in(asked.get(docs_path, {{"x-ms-continuation", feed}})) == std::set<std::string>{"b", "c"});
  for (const std::string& text : {std::string("x"), std::string("0"), start, start + "x", start + "-1",
                                  start + "99999999999999999999", "1." + start + "0"})
    CHECK(asked.get(docs_path, {{"x-ms-continuation", text}}).status == 400);
  for (const char* text : {"0", "-2", "many"})
    CHECK(asked.get(docs_path, {{"x-ms-max-item-count", text}}).status == 400);
}

TEST_CASE("OFFSET and LIMIT count rows, not items that have gone between two pages") {
  WithContainer asked;
  for (int i = 0; i < 9; ++i) asked.put_item(fmt::format("i{}", i));
  const std::string sql = "SELECT VALUE c.id FROM c ORDER BY c.id DESC OFFSET 2 LIMIT 5";
  const auto first = asked.query(docs_path, sql, {{"x-ms-max-item-count", "2"}});
  CHECK(json_of(first).at("Documents") == json::array{"i6", "i5"});
  for (const char* id : {"i8", "i7", "i6"}) asked.ask(Verb::erase, docs_path + "/" + id, "", in_p);
  const auto second = asked.query(docs_path, sql, {{"x-ms-continuation", first.continuation}});
  CHECK(json_of(second).at("Documents") == json::array{"i4", "i3", "i2"});
  CHECK(second.continuation.empty());
}

}  // namespace mayfly::test
