#include <set>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "mayfly/serve/service/item_feed.hpp"
#include "with_container.hpp"

namespace mayfly::test {

namespace {

namespace json = boost::json;
using namespace serve;

}  // namespace

TEST_CASE("the pages of a feed or a query show every item that stays exactly once, whatever expires between them") {
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
          is_query ? asked.query(docs_path, "SELECT * FROM c WHERE c.pk = 'p'", fields) : asked.get(docs_path, fields);
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
  const auto sorted =
      asked.query(docs_path, "SELECT VALUE c.id FROM c ORDER BY c.id DESC", {{"x-ms-max-item-count", "2"}});
  CHECK(json_of(sorted).at("Documents") == json::array{"i9", "i7"});
  CHECK(!sorted.continuation.empty());
  const std::string start = sorted.continuation.substr(0, sorted.continuation.rfind('.') + 1);
  CHECK(asked.get(docs_path, {{"x-ms-continuation", start + "0"}}).status == 200);
  for (const std::string& text : {std::string("x"), std::string("0"), start, start + "x", start + "-1",
                                  start + "99999999999999999999", start + "4294967295", "1." + start + "0"})
    CHECK(asked.get(docs_path, {{"x-ms-continuation", text}}).status == 400);
  for (const char* text : {"0", "-2", "many"})
    CHECK(asked.get(docs_path, {{"x-ms-max-item-count", text}}).status == 400);
}

}  // namespace mayfly::test
