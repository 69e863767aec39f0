#include "mayfly/serve/service/unique_keys.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "mayfly/sim/random.hpp"
#include "with_container.hpp"

namespace mayfly::test {

namespace {

using namespace serve;

const std::string by_mail = R"(,"defaultTtl":-1,"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/mail","/box/name"]}]})";

int create(Asked& asked, const std::string& id, const std::string& more, const std::string& partition = "p") {
  return asked.post(docs_path, fmt::format(R"({{"id":"{}","pk":"{}"{}}})", id, partition, more)).status;
}

}  // namespace

TEST_CASE("a unique key forbids a second item with the same values in a partition") {
  WithContainer asked(by_mail);
  CHECK(create(asked, "a", R"(,"mail":"x","box":{"name":1})") == 201);
  CHECK(create(asked, "b", R"(,"mail":"x","box":{"name":1.0})") == 409);
  CHECK(create(asked, "b", R"(,"mail":"x","box":{"name":1})", "q") == 201);
  CHECK(create(asked, "c", R"(,"mail":"x","box":{"name":"1"})") == 201);
  CHECK(create(asked, "d", "") == 201);
  CHECK(create(asked, "e", R"(,"mail":null)") == 409);  // missing is null
  CHECK(create(asked, "f", R"(,"mail":[1])") == 201);
  CHECK(create(asked, "g", R"(,"mail":{"a":1})") == 201);
  CHECK(asked.put_item("d", R"(,"n":1)").status == 200);
  CHECK(asked.put_item("d", R"(,"mail":"x","box":{"name":1})").status == 409);
  CHECK(asked.ask(Verb::patch, docs_path + "/d", R"([{"op":"add","path":"/mail","value":[1]}])", in_p).status == 409);
  CHECK(asked.read("d").status == 200);
  CHECK(asked.put_item("a", R"(,"mail":"y")").status == 200);  // it frees what it had
  CHECK(asked.put_item("d", R"(,"mail":"x","box":{"name":1})").status == 200);
}

TEST_CASE("X3: an expired item has freed its unique keys in that very second, and so has a deleted one") {
  WithContainer asked(by_mail);
  CHECK(create(asked, "a", R"(,"mail":"x","ttl":5)") == 201);
  asked.advance(4);
  CHECK(create(asked, "b", R"(,"mail":"x")") == 409);
  asked.advance(1);
  CHECK(create(asked, "b", R"(,"mail":"x")") == 201);
  CHECK(create(asked, "a", R"(,"mail":"x")") == 409);
  CHECK(asked.ask(Verb::erase, docs_path + "/b", "", in_p).status == 204);
  CHECK(create(asked, "a", R"(,"mail":"x")") == 201);
}

TEST_CASE("X3: unique keys are judged as if all items were compared, whatever was written, deleted and expired") {
  const std::array<const char*, 3> mails{"\"x\"", "1", "null"};
  int conflicts = 0, freed = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    WithContainer asked(by_mail);
    struct Known {
      std::string mail;
      Instant deadline;
    };
    std::map<std::string, Known> known;
    for (int step = 0; step < 60; ++step) {
      const Instant now = asked.service.clock().now();
      const std::string id = fmt::format("i{}", random.below(4)), mail = mails[random.below(mails.size())];
      const auto ttl = static_cast<std::int64_t>(1 + random.below(6));
      const auto is_held = [&](const auto& item) { return item.first != id && item.second.mail == mail; };
      freed += std::any_of(known.begin(), known.end(),
                           [&](const auto& item) { return is_held(item) && item.second.deadline == now; });
      std::erase_if(known, [&](const auto& item) { return item.second.deadline <= now; });
      if (random.one_in(6)) {
        asked.ask(Verb::erase, docs_path + "/" + id, "", in_p);
        known.erase(id);
      } else {
        const bool is_conflict = std::any_of(known.begin(), known.end(), is_held);
        const int status = asked.put_item(id, fmt::format(R"(,"mail":{},"ttl":{})", mail, ttl)).status;
        REQUIRE(status == (is_conflict ? 409 : known.contains(id) ? 200 : 201));
        conflicts += is_conflict;
        if (!is_conflict) known[id] = {mail, now + Seconds{ttl}};
      }
      if (random.one_in(2)) asked.advance(1);
      if (random.one_in(4)) asked.post("/_mayfly/purge", R"({"budget":1})");
    }
  }
  CHECK(conflicts > 300);  // otherwise the test would say little
  CHECK(freed > 50);
}

TEST_CASE("a batch sees the unique keys as its earlier operations leave them") {
  WithContainer asked(by_mail);
  create(asked, "a", R"(,"mail":"x")");
  const auto status = [&](const std::string& operations) {
    return asked
        .post(docs_path, operations,
              {in_p[0], {"x-ms-cosmos-is-batch-request", "True"}, {"x-ms-cosmos-batch-atomic", "True"}})
        .status;
  };
  const std::string create_b = R"({"operationType":"Create","resourceBody":{"id":"b","pk":"p","mail":"x"}})";
  const std::string create_c = R"({"operationType":"Create","resourceBody":{"id":"c","pk":"p","mail":"x"}})";
  CHECK(status("[" + create_b + "]") == 207);
  CHECK(status(R"([{"operationType":"Delete","id":"a"},)" + create_b + "," + create_c + "]") == 207);
  CHECK(asked.read("a").status == 200);
  CHECK(status(R"([{"operationType":"Upsert","resourceBody":{"id":"a","pk":"p","mail":"y"}},)" + create_b + "]") ==
        200);
  CHECK(status(R"([{"operationType":"Delete","id":"b"},)" + create_c + "]") == 200);
}

TEST_CASE("unique keys are checked when a container is made, and stay as they are") {
  WithContainer asked(by_mail);
  const auto status = [&](const std::string& policy) {
    return asked
        .post("/dbs/d/colls",
              R"({"id":"x","partitionKey":{"paths":["/pk"],"kind":"Hash"},"uniqueKeyPolicy":)" + policy + "}")
        .status;
  };
  for (const char* policy : {"5", "{}", R"({"uniqueKeys":5})", R"({"uniqueKeys":[5]})",
                             R"({"uniqueKeys":[{"paths":[]}]})", R"({"uniqueKeys":[{"paths":[5]}]})",
                             R"({"uniqueKeys":[{"paths":["mail"]}]})", R"({"uniqueKeys":[{"paths":["/_ts"]}]})"})
    CHECK_MESSAGE(status(policy) == 400, policy);
  CHECK(status(R"({"uniqueKeys":[]})") == 201);
  const std::string container = R"({"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash"})";
  CHECK(asked.ask(Verb::put, "/dbs/d/colls/c", container + "}").status == 400);
  CHECK(asked.ask(Verb::put, "/dbs/d/colls/c", container + by_mail + "}").status == 200);
}

}  // namespace mayfly::test
