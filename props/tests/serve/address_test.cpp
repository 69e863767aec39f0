#include <set>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "mayfly/serve/service/service.hpp"
#include "with_container.hpp"

namespace mayfly::test {

namespace {

using namespace serve;

}  // namespace

TEST_CASE("what does not exist is a 404, an unknown kind of resource a 501, and an unsupported verb a 405") {
  WithContainer asked;
  for (const char* path :
       {"/dbs/x", "/dbs/d/colls/x", "/_mayfly/x", "/_mayfly/clock/x", "/dbs/x/colls", "/offers/x", "/offers/QAAB"})
    CHECK(asked.get(path).status == 404);
  for (const char* path : {"/nothing", "/dbs/d/x", "/dbs/d/colls/c/x", "/dbs/d/colls/c/docs/i/x", "/offers/x/y",
                           "/dbs/d/colls/c/pkranges/0", "/dbs/x/y/z/docs/i"})
    CHECK(asked.get(path).status == 501);
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

TEST_CASE("if-match guards containers and databases, and if-none-match avoids sending them again") {
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

TEST_CASE("everything can also be addressed by resource id, and with superfluous slashes") {
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

}  // namespace mayfly::test
