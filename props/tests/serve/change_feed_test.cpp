#include "mayfly/serve/service/change_feed.hpp"

#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "mayfly/rest/http_date.hpp"
#include "with_container.hpp"

namespace mayfly::test {

namespace {

using namespace serve;

/// A client that reads the feed of changes on and on.
struct Reader {
  Asked& asked;
  std::string etag{};
  Asked::Fields more{};

  Response read() {
    Asked::Fields fields{{"A-IM", "Incremental feed"}, {"If-None-Match", etag}};
    fields.insert(fields.end(), more.begin(), more.end());
    const Response response = asked.get(docs_path, fields);
    etag = response.etag;
    return response;
  }

  /// The ids of all changes until there are no more.
  std::vector<std::string> changes() {
    std::vector<std::string> ids;
    for (Response page = read(); page.status != 304; page = read()) {
      REQUIRE(page.status == 200);
      const boost::json::value body = json_of(page);
      for (const auto& item : body.at("Documents").as_array()) ids.emplace_back(item.at("id").as_string());
    }
    return ids;
  }
};

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("the change feed shows what was written since, in the order of the latest writes") {
  WithContainer asked(R"(,"defaultTtl":-1)");
  Reader reader{asked};
  Reader from_now{asked, "*"};
  CHECK(from_now.read().status == 304);
  CHECK(reader.changes().empty());
  for (const char* id : {"a", "b", "c", "d"}) asked.put_item(id);
  asked.put_item("b");
  asked.ask(Verb::erase, docs_path + "/c", "", in_p);
  CHECK(reader.changes() == Ids{"a", "d", "b"});
  CHECK(from_now.changes() == Ids{"a", "d", "b"});
  CHECK(reader.changes().empty());
  asked.post(docs_path, R"({"id":"q","pk":"q"})");
  CHECK(asked.post(docs_path, R"({"id":"q","pk":"q"})").status == 409);  // a failed write is none
  asked.ask(Verb::patch, docs_path + "/a", R"([{"op":"set","path":"/n","value":1}])", in_p);
  CHECK(reader.changes() == Ids{"q", "a"});
  CHECK(Reader{asked, "", {in_p[0]}}.changes() == Ids{"d", "b", "a"});
  CHECK(Reader{asked, "", {{"x-ms-max-item-count", "1"}}}.changes() == Ids{"d", "b", "q", "a"});
  const Response nothing = reader.read();
  CHECK(nothing.status == 304);
  CHECK(nothing.item_count == 0);
  CHECK(!nothing.etag.empty());
}

TEST_CASE("X1 X2: an item that expired is no longer in the change feed, purged or not") {
  WithContainer asked(R"(,"defaultTtl":10)");
  Reader reader{asked};
  asked.put_item("short", R"(,"ttl":5)");
  asked.put_item("long");
  CHECK(Reader{asked}.changes() == Ids{"short", "long"});
  asked.advance(4);
  CHECK(Reader{asked}.changes() == Ids{"short", "long"});
  asked.advance(1);
  CHECK(Reader{asked}.changes() == Ids{"long"});
  CHECK(reader.changes() == Ids{"long"});
  asked.post("/_mayfly/purge", "");
  CHECK(reader.changes().empty());
  asked.put_item("short");  // X3: another item
  CHECK(reader.changes() == Ids{"short"});
  asked.advance(100);
  CHECK(Reader{asked}.changes().empty());
}

TEST_CASE("the change feed can begin at a second, and refuses what it does not know") {
  WithContainer asked(R"(,"defaultTtl":-1)");
  asked.put_item("old");
  asked.advance(100);
  asked.put_item("new");
  const std::string then = rest::http_date(Asked::start + Seconds{100});
  CHECK(Reader{asked, "", {{"If-Modified-Since", then}}}.changes() == Ids{"new"});
  const auto status = [&](const char* name, const char* value) {
    Asked::Fields fields{{name, value}};
    if (std::string_view(name) != "A-IM") fields.push_back({"A-IM", "Incremental Feed"});
    return asked.get(docs_path, fields).status;
  };
  CHECK(status("If-None-Match", "\"0.1.1\"") == 400);
  CHECK(status("If-None-Match", "x") == 400);
  CHECK(status("If-Modified-Since", "yesterday") == 400);
  CHECK(status("A-IM", "Reverse Feed") == 400);
  // Of a container that has the same name and is another one.
  Reader reader{asked};
  reader.read();
  asked.ask(Verb::erase, "/dbs/d/colls/c");
  asked.post("/dbs/d/colls", R"({"id":"c","partitionKey":{"paths":["/pk"]}})");
  CHECK(reader.read().status == 400);
}

TEST_CASE("whoever reads the change feed of a crowd meanwhile sees each item's latest write once") {
  WithContainer asked(R"(,"defaultTtl":-1)");
  for (int i = 0; i < 500; ++i) asked.put_item(fmt::format("i{}", i));
  Reader reader{asked, "", {{"x-ms-max-item-count", "50"}}};
  std::map<std::string, std::uint64_t> seen;
  std::uint64_t last = 0;
  for (int round = 0; round < 100; ++round) {
    const Response page = reader.read();
    if (page.status == 200) {
      const boost::json::value body = json_of(page);
      for (const auto& item : body.at("Documents").as_array()) {
        const auto lsn = item.at("_lsn").to_number<std::uint64_t>();
        CHECK(lsn > last);
        last = lsn;
        seen[std::string(std::string_view(item.at("id").as_string()))] = lsn;
      }
    }
    // More writes than items, so that what is outdated is swept now and then.
    if (round < 80)
      for (int i = 0; i < 40; ++i) asked.put_item(fmt::format("i{}", i * 7 % 500));
  }
  CHECK(seen.size() == 500);
  CHECK(reader.read().status == 304);
}

TEST_CASE("a date in a header is read as it is written") {
  const Instant instant = Asked::start;
  CHECK(rest::http_date(instant) == "Tue, 14 Nov 2023 22:13:20 GMT");
  for (const char* text : {"Tue, 14 Nov 2023 22:13:20 GMT", "tue, 14 nov 2023 22:13:20 gmt"})
    CHECK(rest::parse_http_date(text) == instant);
  for (const char* text :
       {"", "Mon, 14 Nov 2023 22:13:20 GMT", "Tue, 14 Nov 2023 22:13:60 GMT", "Tue, 14 Nox 2023 22:13:20 GMT",
        "Tue, 14 Nov 2023 22:13:20 CET", "Tue, 32 Nov 2023 22:13:20 GMT", "Tue, 14 Nov  023 22:13:20 GMT",
        "Tue, 14 Nov 2023 -2:13:20 GMT", "Tue, 14 Nov 2023 22:13:20 GMT "})
    CHECK(!rest::parse_http_date(text));
}

}  // namespace mayfly::test
