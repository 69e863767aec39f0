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
