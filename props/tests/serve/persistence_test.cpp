#include <filesystem>
#include <string>
#include <unistd.h>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "mayfly/serve/service/service.hpp"
#include "with_container.hpp"

namespace mayfly::test {

namespace {

using namespace serve;

}  // namespace

TEST_CASE("a restarted server continues with its items, deadlines, versions and time") {
  const auto file = std::filesystem::temp_directory_path() / fmt::format("mayfly-serve-{}.db", ::getpid());
  std::filesystem::remove(file);
  const auto open = [&] {
    return Service({.access = Access::open}, ServiceClock::virtual_from(Asked::start), Journal(file));
  };
  const auto ask = [](Service& service, Verb verb, std::string_view target, std::string_view body = "") {
    const Field field{"x-ms-documentdb-partitionkey", R"(["p"])"};
    const Response response = service.answer({.verb = verb, .target = target, .fields = {&field, 1}, .body = body});
    CHECK(!service.commit());
    return response;
  };
  std::string etag;
  {
    Service service = open();
    ask(service, Verb::post, "/dbs", R"({"id":"d"})");
    ask(service, Verb::post, "/dbs/d/colls", R"({"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":10})");
    ask(service, Verb::post, docs_path, R"({"id":"a","pk":"p","n":1.50})");
    ask(service, Verb::post, docs_path, R"({"id":"b","pk":"p","ttl":100})");
    ask(service, Verb::post, "/_mayfly/clock/advance", R"({"seconds":9})");
    etag = ask(service, Verb::get, docs_path + "/a").etag;
  }
  {
    Service service = open();
    CHECK(service.clock().now() == Asked::start + Seconds{9});
    const Response read = ask(service, Verb::get, docs_path + "/a");
    CHECK(read.status == 200);
    CHECK(read.etag == etag);
    CHECK(read.body.find("\"n\":1.50") != std::string::npos);
    ask(service, Verb::post, "/_mayfly/clock/advance", R"({"seconds":1})");
    CHECK(ask(service, Verb::get, docs_path + "/a").status == 404);
    CHECK(ask(service, Verb::put, "/dbs/d/colls/c", R"({"id":"c","partitionKey":{"paths":["/pk"]}})").status == 200);
  }
  {
    Service service = open();
    CHECK(ask(service, Verb::get, docs_path + "/a").status == 404);  // X4: it does not come back
    CHECK(ask(service, Verb::get, docs_path + "/b").status == 200);
    const Response created = ask(service, Verb::post, docs_path, R"({"id":"a","pk":"p"})");
    CHECK(created.status == 201);
    CHECK(created.etag > etag);
  }
  for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + end);
}

TEST_CASE("C1: names that look alike are those of different items after a restart too") {
  const auto file = std::filesystem::temp_directory_path() / fmt::format("mayfly-names-{}.db", ::getpid());
  std::filesystem::remove(file);
  constexpr std::string_view names[]{"a",      "A",           "a ", "a\\u0000", "a\\u0000b",      "a\\n",
                                     "\u00e9", "e\u0301",     "0",  "00",       "\\ud83d\\ude00", "\\u202ea",
                                     "a,b",    "a\\\",\\\"b", "'",  "a'--"};
  const auto create_all = [&](int expected) {
    Service service({.access = Access::open}, ServiceClock::virtual_from(Asked::start), Journal(file));
    const auto post = [&](std::string_view target, const std::string& body) {
      const Response response = service.answer({.verb = Verb::post, .target = target, .fields = {}, .body = body});
      CHECK(!service.commit());
      return response.status;
    };
    post("/dbs", R"({"id":"d"})");
    for (const auto name : names)
      CHECK(post("/dbs/d/colls", fmt::format(R"({{"id":"{}","partitionKey":{{"paths":["/pk"]}}}})", name)) == expected);
    for (const auto id : names)
      for (const auto key : names)
        CHECK(post("/dbs/d/colls/a/docs", fmt::format(R"({{"id":"{}","pk":"{}"}})", id, key)) == expected);
  };
  create_all(201);
  create_all(409);
  for (const char* end : {"", "-wal", "-shm", "-mark"}) std::filesystem::remove(file.string() + end);
}

TEST_CASE("a write that a full file cannot take gets a 507 and is undone, and the server goes on") {
  const auto file = std::filesystem::temp_directory_path() / fmt::format("mayfly-full-{}.db", ::getpid());
  std::filesystem::remove(file);
  {
    Service service({.access = Access::open}, ServiceClock::virtual_from(Asked::start), Journal(file, {.pages = 40}));
    const auto ask = [&](Verb verb, std::string_view target, std::string_view body = "") {
      const Field field{"x-ms-documentdb-partitionkey", R"(["p"])"};
      const Response response = service.answer({.verb = verb, .target = target, .fields = {&field, 1}, .body = body});
      const auto failure = service.commit();
      return failure ? *failure : response;
    };
    ask(Verb::post, "/dbs", R"({"id":"d"})");
    ask(Verb::post, "/dbs/d/colls", R"({"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":10})");
    CHECK(ask(Verb::post, docs_path, R"({"id":"small","pk":"p"})").status == 201);
    const std::string large(500'000, 'x');
    CHECK(ask(Verb::post, docs_path, R"({"id":"large","pk":"p","x":")" + large + "\"}").status == 507);
    CHECK(ask(Verb::get, docs_path + "/large").status == 404);
    CHECK(ask(Verb::get, docs_path + "/small").status == 200);
    CHECK(ask(Verb::post, docs_path, R"({"id":"other","pk":"p"})").status == 201);
  }
  for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + end);
}

}  // namespace mayfly::test
