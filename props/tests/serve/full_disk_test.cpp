#include <string>

#include <doctest/doctest.h>

#include "child_process.hpp"
#include "mayfly/serve/service/service.hpp"
#include "temporary_folder.hpp"

// A server whose journal is full, and afterwards.

namespace mayfly::test {

namespace {

using namespace serve;

constexpr Field partition{.name = "x-ms-documentdb-partitionkey", .value = R"(["p"])"};

/// A server on a disk that is soon full.
class FullServer {
 public:
  explicit FullServer(const std::filesystem::path& file, std::uint32_t pages = 60)
      : service_({.access = Access::open}, ServiceClock::virtual_from(Instant{Seconds{1000}}),
                 Journal(file, {.pages = pages})) {}

  int ask(Verb verb, const std::string& target, const std::string& body = {}) {
    return service_.answer({.verb = verb, .target = target, .fields = {&partition, 1}, .body = body}).status;
  }
  int commit() { return service_.commit().value_or(Response{.status = 200}).status; }

  void create_container() {
    REQUIRE(ask(Verb::post, "/dbs", R"({"id":"d"})") == 201);
    REQUIRE(ask(Verb::post, "/dbs/d/colls", R"({"id":"c","partitionKey":{"paths":["/p"]},"defaultTtl":100})") == 201);
    REQUIRE(commit() == 200);
  }

  int create(int id, std::size_t size = 3000) {
    const std::string body = R"({"id":")" + std::to_string(id) + R"(","p":"p","x":")" + std::string(size, 'x') + "\"}";
    return ask(Verb::post, "/dbs/d/colls/c/docs", body);
  }
  int read(int id) { return ask(Verb::get, "/dbs/d/colls/c/docs/" + std::to_string(id)); }
  int erase(int id) { return ask(Verb::erase, "/dbs/d/colls/c/docs/" + std::to_string(id)); }

  /// Creates items 0, 1, ... until the disk is full, each with a commit, and returns their number.
  int fill() {
    for (int count = 0;; ++count) {
      const bool is_created = create(count) == 201;
      const int committed = commit();
      if (is_created && committed == 200) continue;
      CHECK(committed == 507);
      return count;
    }
  }

  /// Advances the clock by a second. True if that was recorded.
  bool advance() {
    CHECK(ask(Verb::post, "/_mayfly/clock/advance", R"({"seconds":1})") == 200);
    return commit() == 200;
  }

  std::int64_t now() { return service_.clock().now().time_since_epoch().count(); }

 private:
  Service service_;
};

}  // namespace

TEST_CASE("a server whose disk is full refuses writes, still reads, and has all acknowledged writes after a restart") {
  const TemporaryFolder folder;
  int count = 0;
  {
    FullServer server(folder.file());
    server.create_container();
    count = server.fill();
    CHECK(count > 5);
    for (int id = 0; id < count; ++id) CHECK(server.read(id) == 200);
    CHECK(server.read(count) == 404);
    CHECK(server.commit() == 200);
    CHECK(server.create(count) == 507);
    CHECK(server.commit() == 507);
    CHECK(server.read(count) == 404);
  }
  FullServer server(folder.file());
  for (int id = 0; id < count; ++id) CHECK(server.read(id) == 200);
  CHECK(server.read(count) == 404);
}

TEST_CASE("a full disk undoes every request of the transaction") {
  const TemporaryFolder folder;
  FullServer server(folder.file());
  server.create_container();
  const int count = server.fill();
  CHECK(server.erase(0) == 204);
  CHECK(server.ask(Verb::post, "/_mayfly/clock/advance", R"({"seconds":50})") == 200);
  CHECK(server.create(count, 100'000) == 507);
  CHECK(server.commit() == 507);
  CHECK(server.read(0) == 200);
  CHECK(server.now() == 1000);
}

TEST_CASE("a server takes writes again once there is room") {
  const TemporaryFolder folder;
  FullServer server(folder.file());
  server.create_container();
  const int count = server.fill();
  CHECK(server.erase(0) == 204);
  CHECK(server.erase(1) == 204);
  CHECK(server.commit() == 200);
  CHECK(server.create(count) == 201);
  CHECK(server.commit() == 200);
  CHECK(server.ask(Verb::post, "/_mayfly/clock/advance", R"({"seconds":100})") == 200);
  CHECK(server.commit() == 200);
  CHECK(server.read(count) == 404);
  CHECK(server.now() == 1100);
}

TEST_CASE("a clock whose move cannot be recorded stays where it is") {
  const TemporaryFolder folder;
  ChildProcess child([&](auto report) {
    limit_files_to(300'000);
    FullServer server(folder.file(), 1'000'000);
    server.create_container();
    server.fill();
    std::int64_t moves = 0;
    while (moves < 10'000 && server.advance()) ++moves;
    report(moves < 10'000);
    report(server.now() - 1000 - moves);
    report(server.read(0));
    report(server.commit());
  });
  CHECK(child.next() == 1);
  CHECK(child.next() == 0);
  CHECK(child.next() == 200);
  CHECK(child.next() == 200);
}

}  // namespace mayfly::test
