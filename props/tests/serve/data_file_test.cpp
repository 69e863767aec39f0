#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <sqlite3.h>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "mayfly/serve/journal/log_mark.hpp"
#include "mayfly/serve/message/json_text.hpp"
#include "mayfly/serve/service/service.hpp"
#include "temporary_folder.hpp"

// A server's file: all accepted data can be loaded again, and damage gets a message that names the place.

namespace mayfly::test {

namespace {

namespace json = boost::json;
using namespace serve;

const std::string container_path = "/dbs/d/colls/c";
const std::string items_path = container_path + "/docs";

class FileServer {
 public:
  explicit FileServer(JournalLimits limits = {}) { open(limits); }

  void open(JournalLimits limits = {}) {
    Journal journal(file(), limits);
    loss = journal.loss().value_or("");
    service_.emplace(ServiceOptions{.access = Access::open}, ServiceClock::virtual_from(Instant{}), std::move(journal));
  }
  void stop() { service_.reset(); }
  void restart() {
    stop();
    open();
  }
  /// Leaves the files as a killed process would. Call `open` afterwards.
  void kill() {
    for (const char* ending : {"", "-wal", "-mark"}) std::filesystem::copy_file(name(ending), name(ending) + ".copy");
    stop();
    for (const char* ending : {"", "-wal", "-mark"}) std::filesystem::rename(name(ending) + ".copy", name(ending));
  }

  Response ask(Verb verb, const std::string& target, const std::string& body = {}, std::vector<Field> fields = {}) {
    fields.push_back({"x-ms-documentdb-partitionkey", R"(["p"])"});
    const Response response = service_->answer({.verb = verb, .target = target, .fields = fields, .body = body});
    return service_->commit().value_or(response);
  }
  int create_container(const std::string& more = {}) {
    ask(Verb::post, "/dbs", R"({"id":"d"})");
    return ask(Verb::post, "/dbs/d/colls", R"({"id":"c","partitionKey":{"paths":["/pk"]})" + more + "}").status;
  }
  int create(const std::string& id, const std::string& more = {}) {
    return ask(Verb::post, items_path, fmt::format(R"({{"id":"{}","pk":"p"{}}})", id, more)).status;
  }
  json::value query(const std::string& sql) {
    const Response page =
        ask(Verb::post, items_path, json::serialize(json::value{{"query", sql}}),
            {{"x-ms-documentdb-isquery", "true"}, {"x-ms-documentdb-query-enablecrosspartition", "true"}});
    return parse_json(page.body).at("Documents");
  }

  /// Stops the server, and changes its file as another program would. Call `open` afterwards.
  void execute(const std::string& sql) {
    stop();
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(name("").c_str(), &database) == SQLITE_OK);
    REQUIRE(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(database);
  }

  /// The message of opening the file after this statement.
  std::string damaged_by(const std::string& sql) {
    execute(sql);
    try {
      open();
    } catch (const JournalError& error) {
      return error.what();
    }
    return "accepted";
  }

  std::filesystem::path file() const { return folder_.file(); }
  std::string name(const char* ending) const { return file().string() + ending; }

  std::string loss;

 private:
  TemporaryFolder folder_;
  std::optional<Service> service_;
};

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

}  // namespace

TEST_CASE("everything that is accepted can be loaded again, however deeply nested") {
  for (const std::size_t depth : {40u, 126u, 127u, 128u, 300u}) {
    CAPTURE(depth);
    FileServer server;
    const bool is_accepted = server.create_container(",\"note\":" + nested(depth)) == 201;
    CHECK(is_accepted == (depth < 128));
    if (!is_accepted) server.create_container();
    CHECK((server.create("a", ",\"note\":" + nested(depth)) == 201) == is_accepted);
    const std::string autoscale = "{\"maxThroughput\":4000,\"note\":" + nested(depth) + "}";
    const Response database =
        server.ask(Verb::post, "/dbs", R"({"id":"auto"})", {{"x-ms-cosmos-offer-autopilot-settings", autoscale}});
    CHECK((database.status == 201) == is_accepted);
    server.restart();
    CHECK(server.ask(Verb::get, container_path).status == 200);
    CHECK((server.ask(Verb::get, items_path + "/a").status == 200) == is_accepted);
  }
}

TEST_CASE("offers are found again, as they were replaced") {
  FileServer server;
  server.create_container();
  REQUIRE(server.ask(Verb::post, "/dbs", R"({"id":"shared"})", {{"x-ms-offer-throughput", "1000"}}).status == 201);
  const auto offers = [&] { return server.ask(Verb::get, "/offers").body; };
  const json::value first = parse_json(offers()).at("Offers").at(0);
  const std::string link = "/" + std::string(std::string_view(first.at("_self").as_string()));
  CHECK(server.ask(Verb::put, link, R"({"content":{"offerThroughput":700}})").status == 200);
  const std::string before = offers();
  CHECK(before.find("700") != std::string::npos);
  CHECK(before.find("1000") != std::string::npos);
  server.kill();
  server.open();
  CHECK(offers() == before);
}

TEST_CASE("a full disk does not end a server whose container is deeply nested") {
  FileServer server({.pages = 40});
  REQUIRE(server.create_container(",\"note\":" + nested(100)) == 201);
  CHECK(server.create("large", ",\"x\":\"" + std::string(500'000, 'x') + '"') == 507);
  CHECK(server.ask(Verb::get, container_path).status == 200);
  CHECK(server.create("small") == 201);
}

TEST_CASE("damage gets a message with the file, the row, and a command that deletes it") {
  const auto damage = [](const std::string& sql) {
    FileServer server;
    server.create_container(",\"defaultTtl\":-1");
    server.create("a");
    server.create("b");
    std::string message = server.damaged_by(sql);
    const auto start = fmt::format("cannot use {}: ", server.file().string());
    CHECK(message.starts_with(start));
    const auto from = message.find(" \"DELETE FROM ");
    REQUIRE(from != std::string::npos);
    CHECK(server.damaged_by(message.substr(from + 2, message.size() - from - 3)) == "accepted");
    return message.substr(start.size(), message.find(" To delete ") - start.size());
  };
  const auto row = [](int number, const char* table, const char* why) {
    return fmt::format("row {} of its table {} is damaged ({}).", number, table, why);
  };
  CHECK(damage("UPDATE items SET body = 'no JSON' WHERE number = 2") == row(2, "items", "its numbers are missing"));
  CHECK(damage("UPDATE items SET body = replace(body, ':', ';') WHERE number = 2") ==
        row(2, "items", "The text is not JSON: syntax error after 5 bytes."));
  CHECK(damage("UPDATE items SET id = 'x' WHERE number = 1") ==
        row(1, "items", "its id differs from the one in its body"));
  CHECK(damage("UPDATE items SET body = '{\"id\":\"a\",\"n\":1e999' || substr(body, -32) WHERE number = 1") ==
        row(1, "items", "The number at byte 19 is too large for a double, or its exponent has too many digits."));
  CHECK(damage("INSERT INTO items VALUES (9, 77, '', 'x', 1, 0, '{}')") == row(9, "items", "its container is missing"));
  CHECK(damage("UPDATE databases SET body = '{}'").starts_with("row 1 of its table databases is damaged ("));
  CHECK(damage("UPDATE containers SET body = '{}'").starts_with("row 2 of its table containers is damaged ("));
  CHECK(damage("UPDATE containers SET database = 5") == row(2, "containers", "its database is missing"));
}

TEST_CASE("all damage is in one message, and one statement deletes it") {
  FileServer server;
  server.create_container();
  for (int i = 1; i <= 30; ++i) server.create(std::to_string(i));
  server.ask(Verb::post, "/dbs", R"({"id":"e"})");
  server.ask(Verb::post, "/dbs/e/colls", R"({"id":"c"})");
  server.ask(Verb::post, "/dbs/e/colls/c/docs", R"({"id":"a"})");
  const std::string message = server.damaged_by(
      "UPDATE databases SET body = '' WHERE number = 3; UPDATE items SET body = '' WHERE number BETWEEN 3 AND 14");
  const auto start = fmt::format("cannot use {}: row 3 of its table databases is damaged (", server.name(""));
  CHECK(message.starts_with(start));
  CHECK(message.find("row 11 of its table items is damaged (its numbers are missing), and 3 more. To delete them") !=
        std::string::npos);
  const auto from = message.find(" \"DELETE FROM ");
  REQUIRE(from != std::string::npos);
  CHECK(server.damaged_by(message.substr(from + 2, message.size() - from - 3)) == "accepted");
  CHECK(server.query("SELECT VALUE COUNT(1) FROM c") == json::array{18});
}

TEST_CASE("of several rows of one item, the newest is kept") {
  FileServer server;
  server.create_container();
  for (const char* pk : {"6", "7", "1e16"})
    server.ask(Verb::post, items_path, fmt::format(R"({{"id":"a","pk":{},"n":"{}"}})", pk, pk),
               {{"x-ms-documentdb-partitionkey", fmt::format("[{}]", pk)}});
  // Rows 1 and 2 are of the same second, and the first was written last.
  const std::string message = server.damaged_by(
      "UPDATE items SET partition = '10000000000000000', body = replace(body, '\"pk\":6', '\"pk\":1e16') WHERE number "
      "= 1;"
      "UPDATE items SET partition = '1.0e16', body = replace(body, '\"pk\":7', '\"pk\":1e16') WHERE number = 2;"
      "UPDATE items SET body = substr(body, 1, length(body) - 4) || 'ffff' WHERE number = 1");
  CHECK(message.find("row 2 of its table items is damaged (the same partition and id as row 1, which is newer), row 3 "
                     "of its table items is damaged (the same partition and id as row 1, which is newer)") !=
        std::string::npos);
  CHECK(message.ends_with("\"DELETE FROM items WHERE number IN (2, 3)\""));
  CHECK(server.damaged_by("DELETE FROM items WHERE number IN (2, 3)") == "accepted");
  const std::vector<Field> by_number{{"x-ms-documentdb-partitionkey", "[1e16]"}};
  CHECK(server.ask(Verb::get, items_path + "/a", "", by_number).body.find("\"n\":\"6\"") != std::string::npos);
}

TEST_CASE("a file without its tables gets a message that names it") {
  FileServer server;
  CHECK(server.damaged_by("DROP TABLE items") ==
        fmt::format("cannot use {}: no such table: items", server.file().string()));
}

TEST_CASE("a file that is removed or replaced while it is in use takes no more writes") {
  for (const bool is_replaced : {false, true})
    for (const char* ending : {"", "-wal"}) {
      CAPTURE(is_replaced);
      CAPTURE(ending);
      FileServer server;
      server.create_container();
      CHECK(server.create("a") == 201);
      std::filesystem::remove(server.name(ending));
      if (is_replaced) std::ofstream(server.name(ending)) << "something else";
      const Response refused = server.ask(Verb::post, items_path, R"({"id":"b","pk":"p"})");
      CHECK(refused.status == 503);
      CHECK(refused.body.find("was removed or replaced while it was in use") != std::string::npos);
      CHECK(server.ask(Verb::get, items_path + "/b").status == 404);
      CHECK(server.ask(Verb::get, items_path + "/a").status == 200);
      CHECK(server.create("c") == 503);
    }
}

TEST_CASE("a file or log that is overwritten while it is in use takes no more writes") {
  const TemporaryFolder other;
  { const Journal made(other.file()); }
  const std::pair<const char*, std::function<void(const FileServer&)>> changes[]{
      {"the log is cut", [](const FileServer& server) { std::filesystem::resize_file(server.name("-wal"), 0); }},
      {"another file is copied over it",
       [&](const FileServer& server) {
         const auto replace = std::filesystem::copy_options::overwrite_existing;
         std::filesystem::copy_file(other.file(), server.name(""), replace);
       }},
      {"the file is emptied", [](const FileServer& server) { std::filesystem::resize_file(server.name(""), 0); }}};
  for (const auto& each : changes) {
    CAPTURE(each.first);
    FileServer server;
    server.create_container();
    CHECK(server.create("a") == 201);
    each.second(server);
    CHECK(server.create("b") == 503);
    CHECK(server.create("c") == 503);
  }
}

TEST_CASE("a write that is refused because the file was removed leaves continuation tokens valid") {
  FileServer server;
  server.create_container();
  for (const char* id : {"a", "b", "c"}) CHECK(server.create(id) == 201);
  const auto page = [&](const std::string& token) {
    return server.ask(Verb::get, items_path, "", {{"x-ms-max-item-count", "1"}, {"x-ms-continuation", token}});
  };
  const std::string token = page("").continuation;
  std::filesystem::remove(server.file());
  const std::pair<Verb, std::string> writes[]{{Verb::post, items_path},      {Verb::erase, items_path + "/a"},
                                              {Verb::erase, container_path}, {Verb::erase, "/dbs/d"},
                                              {Verb::post, "/dbs"},          {Verb::post, "/_mayfly/reset"}};
  for (const auto& write : writes) {
    CAPTURE(write.second);
    CHECK(server.ask(write.first, write.second, R"({"id":"x","pk":"p"})").status == 503);
    CHECK(page(token).status == 200);
  }
}

TEST_CASE("checkpoints do not count as changes by another program") {
  FileServer server;
  server.create_container();
  const std::string large = ",\"x\":\"" + std::string(1'900'000, 'x') + '"';
  const auto before = std::filesystem::file_size(server.name(""));
  for (int i = 0; i < 45; ++i) REQUIRE(server.create(std::to_string(i), large) == 201);
  CHECK(std::filesystem::file_size(server.name("")) > before);
}

TEST_CASE("a file behind a link takes writes, and its log is watched in the file's folder") {
  for (const bool is_there : {false, true}) {
    CAPTURE(is_there);
    const TemporaryFolder links, files;
    std::filesystem::create_symlink(files.file(), links.file());
    if (is_there) {
      const Journal made(files.file());
    }
    Journal journal(links.file());
    for (const bool is_removed : {false, false, true}) {
      if (is_removed) std::filesystem::remove(files.file().string() + "-wal");
      journal.put_fact("x", 1);
      if (is_removed)
        CHECK_THROWS_AS(journal.commit(Instant{}), JournalError);
      else
        journal.commit(Instant{});
      CHECK(std::filesystem::exists(files.file().string() + "-mark"));
    }
  }
}

TEST_CASE("a log that was cut anywhere is reported, and a complete one is not") {
  FileServer server;
  server.create_container();
  for (int i = 0; i < 20; ++i) server.create(std::to_string(i));
  server.kill();
  const auto whole = std::filesystem::file_size(server.name("-wal"));
  server.open();
  CHECK(server.loss == "");
  CHECK(server.query("SELECT VALUE COUNT(1) FROM c") == json::array{20});
  server.create("last");
  server.kill();
  for (const std::uintmax_t kept : {whole, whole - 1, whole / 2, std::uintmax_t{0}}) {
    CAPTURE(kept);
    const TemporaryFolder other;
    for (const char* ending : {"", "-wal", "-mark"})
      std::filesystem::copy_file(server.name(ending), other.file().string() + ending);
    std::filesystem::resize_file(other.file().string() + "-wal", kept);
    const Journal journal(other.file());
    CHECK(journal.loss().value_or("").find(fmt::format("has {} of the ", kept)) != std::string::npos);
    CHECK(journal.loss().value_or("").ends_with("the latest writes are missing"));
  }
}

TEST_CASE("an obsolete mark reports nothing") {
  FileServer server;
  server.create_container();
  CHECK(std::filesystem::exists(server.name("-mark")));
  server.stop();
  CHECK_FALSE(std::filesystem::exists(server.name("-mark")));
  server.open();
  CHECK(server.loss == "");
  server.kill();
  { const Journal opened_and_closed(server.file()); }
  server.open();
  CHECK(server.loss == "");
  server.kill();
  for (const char* ending : {"", "-wal"}) std::filesystem::remove(server.name(ending));
  server.open();
  CHECK(server.loss == "");
}

TEST_CASE("a file that was emptied is reported") {
  FileServer server;
  server.create_container();
  server.kill();
  std::filesystem::resize_file(server.name(""), 0);
  server.open();
  CHECK(server.loss ==
        fmt::format("{} is empty, though writes to it were acknowledged: they are lost", server.name("")));
  server.restart();
  CHECK(server.loss == "");
}

TEST_CASE("a failed start leaves no mark, unless a loss is still to be reported") {
  for (const bool is_cut : {false, true}) {
    FileServer server;
    server.create_container();
    server.execute("PRAGMA user_version = 99");
    CHECK_THROWS_AS(server.open(), JournalError);
    CHECK_FALSE(std::filesystem::exists(server.name("-mark")));
    std::ofstream(server.name("-wal"));
    std::ofstream(server.name("-mark")) << (is_cut ? "00000000000000004152\n" : "00000000000000000000\n");
    CHECK_THROWS_AS(server.open(), JournalError);
    CHECK(std::filesystem::exists(server.name("-mark")) == is_cut);
    server.execute("PRAGMA user_version = 1");
    server.open();
    CHECK((server.loss != "") == is_cut);
  }
}

TEST_CASE("a mark that its owner removes while another process waits for the file reports nothing") {
  FileServer server;
  server.create_container();
  server.kill();
  std::filesystem::remove(server.name("-wal"));
  LogMark mark(server.file());
  CHECK(mark.loss());
  std::filesystem::remove(server.name("-mark"));
  mark.own(server.file());
  CHECK_FALSE(mark.loss());
}

TEST_CASE("a server whose file was replaced leaves the mark of the next one alone") {
  FileServer server;
  server.create_container();
  for (const char* ending : {"", "-wal", "-mark"}) std::filesystem::remove(server.name(ending));
  Journal other(server.file());
  other.put_fact("x", 1);
  other.commit(Instant{});
  server.stop();
  CHECK(std::filesystem::exists(server.name("-mark")));
}

TEST_CASE("I4: a lazy container shows the same after a restart") {
  FileServer server;
  server.create_container(R"(,"defaultTtl":-1,"indexingPolicy":{"indexingMode":"lazy"})");
  server.create("a");
  server.ask(Verb::post, "/_mayfly/index");
  CHECK(server.query("SELECT VALUE c.id FROM c") == json::array{"a"});
  server.restart();
  CHECK(server.query("SELECT VALUE c.id FROM c") == json::array{"a"});
}

TEST_CASE("a token from before a restart, a reload or a reset is refused, and no item is left out or shown twice") {
  FileServer server({.pages = 60});
  server.create_container(R"(,"defaultTtl":-1)");
  for (int i = 0; i < 10; ++i) server.create(std::to_string(i));
  const auto page = [&](const std::string& token) {
    return server.ask(Verb::get, items_path, "", {{"x-ms-max-item-count", "4"}, {"x-ms-continuation", token}});
  };
  const std::string first = page("").continuation;
  CHECK(page(first).status == 200);
  CHECK(server.create("large", ",\"x\":\"" + std::string(500'000, 'x') + '"') == 507);
  CHECK(page(first).status == 400);
  const std::string second = page("").continuation;
  server.restart();
  for (const std::string& token : {first, second}) {
    const Response refused = page(token);
    CHECK(refused.status == 400);
    CHECK(refused.body.find("Read from the first page") != std::string::npos);
  }
  std::multiset<std::string> seen;
  std::string token;
  do {
    const Response shown = page(token);
    const json::value body = parse_json(shown.body);
    for (const json::value& item : body.at("Documents").as_array()) seen.emplace(item.at("id").as_string());
    token = shown.continuation;
  } while (!token.empty());
  CHECK(seen.size() == 10);
  CHECK(std::set(seen.begin(), seen.end()).size() == 10);
  const std::string third = page("").continuation;
  server.ask(Verb::post, "/_mayfly/reset");
  server.create_container(R"(,"defaultTtl":-1)");
  for (int i = 0; i < 10; ++i) server.create(std::to_string(i));
  CHECK(page(third).status == 400);
}

TEST_CASE("partitions that an older version wrote differently are found, and rewritten") {
  FileServer server;
  server.create_container();
  REQUIRE(server
              .ask(Verb::post, items_path, R"({"id":"a","pk":10000000000000000})",
                   {{"x-ms-documentdb-partitionkey", "[1e16]"}})
              .status == 201);
  CHECK(server.damaged_by("UPDATE items SET partition = '10000000000000000'") == "accepted");
  const auto by_number = [&](Verb verb) {
    return server.ask(verb, items_path + "/a", "", {{"x-ms-documentdb-partitionkey", "[10000000000000000]"}}).status;
  };
  CHECK(by_number(Verb::get) == 200);
  CHECK(by_number(Verb::erase) == 204);
  server.restart();
  CHECK(by_number(Verb::get) == 404);
}

TEST_CASE("a rewritten row may take the former place of another") {
  FileServer server;
  server.create_container();
  for (const char* pk : {"5", "6"})
    server.ask(Verb::post, items_path, fmt::format(R"({{"id":"a","pk":{}}})", pk),
               {{"x-ms-documentdb-partitionkey", fmt::format("[{}]", pk)}});
  server.execute(
      "UPDATE items SET partition = 'old' WHERE number = 1; UPDATE items SET partition = '5' WHERE number = 2");
  for (int start = 0; start < 2; ++start) {
    server.stop();
    server.open();
    for (const char* pk : {"[5]", "[6]"})
      CHECK(server.ask(Verb::get, items_path + "/a", "", {{"x-ms-documentdb-partitionkey", pk}}).status == 200);
  }
}

TEST_CASE("partitions that there was no room to rewrite are found, and rewritten before the next change") {
  FileServer server;
  server.create_container();
  const std::string pk = '"' + std::string(1500, 'k') + '"', header = "[" + pk + "]";
  const std::vector<Field> in_partition{{"x-ms-documentdb-partitionkey", header}};
  for (int i = 0; i < 30; ++i)
    REQUIRE(server.ask(Verb::post, items_path, fmt::format(R"({{"id":"{}","pk":{}}})", i, pk), in_partition).status ==
            201);
  server.execute("UPDATE items SET partition = 'old'; VACUUM");
  const auto found = [&] {
    int count = 0;
    for (int i = 0; i < 30; ++i)
      count += server.ask(Verb::get, items_path + "/" + std::to_string(i), "", in_partition).status == 200;
    return count;
  };
  server.open({.pages = 1});
  CHECK(found() == 30);
  CHECK(server.ask(Verb::erase, items_path + "/3", "", in_partition).status == 507);
  CHECK(found() == 30);
  server.restart();
  CHECK(found() == 30);
  CHECK(server.ask(Verb::erase, items_path + "/3", "", in_partition).status == 204);
  server.restart();
  CHECK(found() == 29);
}

TEST_CASE("partitions by a property that is not in the kept text are not changed") {
  for (const auto& each : std::vector<std::array<std::string, 3>>{
           {"/ttl", "ttl", "70"}, {"/ttl", "ttl", "-1"}, {"/_etag", "_etag", "7"}}) {
    const auto& [path, property, value] = each;
    CAPTURE(each[1]);
    FileServer server;
    server.ask(Verb::post, "/dbs", R"({"id":"d"})");
    const std::string definition = fmt::format(R"({{"id":"c","partitionKey":{{"paths":["{}"]}}}})", path);
    server.ask(Verb::post, "/dbs/d/colls", definition);
    const std::string key = "[" + value + "]", body = fmt::format(R"({{"id":"a","{}":{}}})", property, value);
    const std::vector<Field> in_partition{{"x-ms-documentdb-partitionkey", key}};
    REQUIRE(server.ask(Verb::post, items_path, body, in_partition).status == 201);
    REQUIRE(server.ask(Verb::post, items_path, R"({"id":"a"})", {{"x-ms-documentdb-partitionkey", "[{}]"}}).status ==
            201);
    for (int start = 0; start < 2; ++start) {
      server.restart();
      CHECK(server.ask(Verb::get, items_path + "/a", "", in_partition).status == 200);
    }
  }
}

TEST_CASE("X3: an expired row of a rewritten partition does not replace a newer one") {
  FileServer server;
  server.create_container(R"(,"defaultTtl":5)");
  const std::vector<Field> by_number{{"x-ms-documentdb-partitionkey", "[1e16]"}};
  const auto create = [&](int n) {
    return server.ask(Verb::post, items_path, fmt::format(R"({{"id":"a","pk":1e16,"n":{}}})", n), by_number).status;
  };
  REQUIRE(create(1) == 201);
  REQUIRE(server.damaged_by("UPDATE items SET partition = 'as it was written once'") == "accepted");
  server.execute(
      "UPDATE items SET partition = 'as it was written once';"
      "INSERT INTO items SELECT 99, container, '1E16', id, ts + 50, ttl, replace(body, '\"n\":1', '\"n\":2')"
      " FROM items; UPDATE facts SET value = value + 50 WHERE name = 'now'");
  for (int start = 0; start < 2; ++start) {
    server.open();
    CHECK(server.ask(Verb::get, items_path + "/a", "", by_number).body.find("\"n\":2") != std::string::npos);
    server.stop();
  }
}

}  // namespace mayfly::test
