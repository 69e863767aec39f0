#include "mayfly/serve/journal/journal.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <sqlite3.h>
#include <string>
#include <unistd.h>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "child_process.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "mayfly/sim/random.hpp"
#include "temporary_folder.hpp"

namespace mayfly::test {

namespace {

using namespace serve;

Instant at(std::int64_t second) { return Instant{Seconds{second}}; }

ItemRecord item(std::int64_t container, std::string id, std::int64_t ts, Ttl ttl = {}, std::string body = "{}") {
  return {container, "[\"p\"]", std::move(id), at(ts), ttl, std::move(body)};
}

std::string ids(const Journal& journal) {
  std::string all;
  journal.for_each_item([&](const ItemRecord& found) { all += (all.empty() ? "" : " ") + found.id; });
  return all;
}

std::size_t count(const Journal& journal) {
  std::size_t items = 0;
  journal.for_each_item([&](const ItemRecord&) { ++items; });
  return items;
}

std::string refusal(const std::filesystem::path& file) {
  try {
    const Journal journal(file);
  } catch (const JournalError& error) {
    CHECK(error.kind() == JournalError::Kind::unusable);
    return error.what();
  }
  return "accepted";
}

void execute(const std::filesystem::path& file, const char* sql) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(file.c_str(), &database) == SQLITE_OK);
  REQUIRE(sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
}

TtlField as_field(const auto& ttl) {
  if (const auto* seconds = std::get_if<Seconds>(&ttl)) return seconds->count();
  return std::holds_alternative<Never>(ttl) ? TtlField{std::int64_t{-1}} : TtlField{};
}

/// An engine and a journal with the same random changes.
class JournaledEngine {
 public:
  explicit JournaledEngine(std::uint64_t seed) : random_(seed) {
    engine_.create_collection(at(now_), "c", {});
    set_default(Off{});
  }

  void change_something() {
    switch (random_.below(8)) {
      case 0:
        set_default(random_setting<DefaultTtl>());
        break;
      case 1:
        erase(std::to_string(random_.below(6)));
        break;
      case 2:
        purge();
        break;
      case 3:
      case 4:
        now_ += static_cast<std::int64_t>(random_.below(4));
        break;
      default:
        upsert();
    }
    journal_->commit(at(now_));
  }

  Engine made_anew() const {
    Engine anew;
    anew.create_collection(at(0), "c", {.default_ttl = as_field(default_)});
    journal_->for_each_item([&](const ItemRecord& found) {
      const Content content{.ttl = as_field(found.ttl), .value = found.body};
      REQUIRE(anew.create(found.ts, {"c", found.partition, found.id}, content).status == Status::created);
    });
    return anew;
  }

  using Shown = std::map<std::string, std::pair<Instant, std::string>>;
  Shown shown_by(const Engine& engine) const {
    Shown all;
    const Outcome outcome = engine.query(at(now_), "c", std::nullopt);
    for (const auto& found : outcome.documents.value()) all[found.id] = {found.ts, found.value};
    return all;
  }
  Shown shown() const { return shown_by(engine_); }

  void restart_as(Engine anew) {
    journal_.reset();
    journal_ = std::make_unique<Journal>(folder_.file());
    CHECK(journal_->now() == at(now_));
    engine_ = std::move(anew);
  }

 private:
  template <class Setting>
  Setting random_setting() {
    const std::array<Setting, 4> settings{Setting{}, Never{}, Seconds{3}, Seconds{1 + random_.below(9)}};
    return settings[random_.below(4)];
  }

  void set_default(DefaultTtl setting) {
    default_ = setting;
    engine_.replace_collection(at(now_), "c", {.default_ttl = as_field(setting)});
    journal_->put({1, 1, setting, ""}, at(now_));
  }

  void erase(const std::string& id) {
    engine_.erase(at(now_), {"c", "[\"p\"]", id});
    journal_->remove_item(1, "[\"p\"]", id);
  }

  void purge() {
    engine_.purge(at(now_), {random_.below(3)});
    journal_->purge(at(now_), {random_.below(3)});
  }

  void upsert() {
    const std::string id = std::to_string(random_.below(6));
    const Ttl ttl = random_setting<Ttl>();
    const std::string value = std::to_string(random_.below(1000));
    engine_.upsert(at(now_), {"c", "[\"p\"]", id}, {.ttl = as_field(ttl), .value = value});
    journal_->put(item(1, id, now_, ttl, value));
  }

  Random random_;
  TemporaryFolder folder_;
  Engine engine_;
  std::unique_ptr<Journal> journal_ = std::make_unique<Journal>(folder_.file());
  std::int64_t now_ = 0;
  DefaultTtl default_;
};

}  // namespace

TEST_CASE("a journal returns every record that was put, and none that was removed") {
  const TemporaryFolder folder;
  const std::string odd("nul\0quote\"\xc3\xa9", 12);
  const ContainerRecord off{7, 1, Off{}, R"({"id":"off"})"};
  const ContainerRecord ten{8, 1, Seconds{10}, ""};
  const ItemRecord first = item(7, odd, 5, Seconds{largest_ttl}, odd);
  const ItemRecord second{8, "", "", at(6), Never{}, ""};
  {
    Journal journal(folder.file());
    CHECK(journal.now() == at(0));
    CHECK_FALSE(journal.fact("counter"));
    journal.put(DatabaseRecord{1, "one"});
    journal.put(DatabaseRecord{2, "two"});
    journal.put(off, at(5));
    journal.put(ten, at(5));
    journal.put({9, 2, Never{}, "gone"}, at(5));
    journal.put({10, 1, Never{}, "gone too"}, at(5));
    journal.put(second);
    journal.put(first);
    for (const std::int64_t container : {7, 9, 10}) journal.put(item(container, "gone", 5));
    journal.put_fact("counter", 4);
    journal.put_fact("counter", -5);
    journal.commit(at(6));
    journal.remove_item(7, "[\"p\"]", "gone");
    journal.remove_item(7, "[\"p\"]", "was never there");
    journal.remove_database(2);
    journal.remove_container(10);
    journal.put(DatabaseRecord{1, "one again"});
    journal.commit(at(7));
  }
  const Journal journal(folder.file());
  CHECK(journal.now() == at(7));
  CHECK(journal.fact("counter") == -5);
  std::vector<DatabaseRecord> databases;
  journal.for_each_database([&](const DatabaseRecord& found) { databases.push_back(found); });
  CHECK(databases == std::vector<DatabaseRecord>{{1, "one again"}});
  std::vector<ContainerRecord> containers;
  journal.for_each_container([&](const ContainerRecord& found) { containers.push_back(found); });
  CHECK(containers == std::vector{off, ten});
  std::vector<ItemRecord> items;
  journal.for_each_item([&](const ItemRecord& found) { items.push_back(found); });
  CHECK(items == std::vector{first, second});
}

TEST_CASE("uncommitted changes are lost, and so are those rolled back") {
  const TemporaryFolder folder;
  {
    Journal journal(folder.file());
    journal.put({1, 1, Off{}, ""}, at(0));
    journal.put(item(1, "committed", 1));
    journal.commit(at(1));
    journal.put(item(1, "rolled back", 1));
    journal.roll_back();
    CHECK(ids(journal) == "committed");
    journal.put(item(1, "later", 2));
    journal.commit(at(2));
    journal.put(item(1, "not committed", 3));
  }
  CHECK(ids(Journal(folder.file())) == "committed later");
}

TEST_CASE("clearing deletes everything but facts, and the next commit sets the time") {
  const TemporaryFolder folder;
  Journal journal(folder.file());
  journal.put(DatabaseRecord{1, ""});
  journal.put({1, 1, Off{}, ""}, at(0));
  journal.put(item(1, "a", 900));
  journal.put_fact("counter", 1);
  journal.commit(at(900));
  journal.clear();
  journal.commit(at(100));
  CHECK(journal.now() == at(100));
  CHECK(count(journal) == 0);
  CHECK(journal.fact("counter") == 1);
  journal.for_each_container([](const ContainerRecord&) { FAIL("a container is left"); });
  journal.for_each_database([](const DatabaseRecord&) { FAIL("a database is left"); });
}

TEST_CASE("X4: an item that expired under a former default is not loaded again") {
  const TemporaryFolder folder;
  {
    Journal journal(folder.file());
    journal.put({1, 1, Seconds{10}, ""}, at(0));
    journal.put(item(1, "inherits, expired at 10", 0));
    journal.put(item(1, "inherits, lives", 1));
    journal.put(item(1, "own ttl, expired at 10", 0, Seconds{10}));
    journal.put(item(1, "own ttl, lives", 0, Seconds{11}));
    journal.put(item(1, "never", 0, Never{}));
    journal.commit(at(10));
    journal.put({1, 1, Off{}, ""}, at(10));
    journal.commit(at(10));
  }
  Journal journal(folder.file());
  CHECK(ids(journal) == "own ttl, lives never inherits, lives");
  journal.put(item(1, "inherits, expired at 10", 11));  // the identity is free again (X3)
  journal.put({1, 1, Never{}, ""}, at(20));             // and while off nothing expired (F1)
  journal.commit(at(20));
  CHECK(ids(journal) == "own ttl, lives never inherits, lives inherits, expired at 10");
  journal.put({1, 1, Seconds{100}, ""}, at(20));  // but now it has, under never (F3, W6)
  journal.commit(at(20));
  CHECK(ids(journal) == "never inherits, lives inherits, expired at 10");
}

TEST_CASE("P3, P4: a journal purges only expired items, and only while TTL is on") {
  const TemporaryFolder folder;
  Journal journal(folder.file());
  journal.put({1, 1, Seconds{10}, ""}, at(0));
  journal.put({2, 1, Off{}, ""}, at(0));
  for (const std::int64_t container : {1, 2}) {
    journal.put(item(container, "inherits", 0));
    journal.put(item(container, "own", 0, Seconds{9}));
    journal.put(item(container, "long", 0, Seconds{largest_ttl}));
    journal.put(item(container, "never", 0, Never{}));
  }
  CHECK(journal.purge(at(8), {100}) == 0);
  CHECK(journal.purge(at(9), {100}) == 1);
  CHECK(journal.purge(at(10), {0}) == 0);
  CHECK(journal.purge(at(10), {100}) == 1);
  CHECK(journal.purge(at(1000), {~std::uint64_t{0}}) == 0);
  journal.commit(at(1000));
  CHECK(count(journal) == 6);
  for (int i = 0; i < 10; ++i) journal.put(item(1, std::to_string(i), 1000));
  CHECK(journal.purge(at(1010), {7}) == 7);
  CHECK(journal.purge(at(1010), {7}) == 3);
}

TEST_CASE("an engine made from a journal answers as the one that wrote it") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    CAPTURE(seed);
    JournaledEngine store(seed);
    for (int step = 0; step < 200; ++step) {
      store.change_something();
      Engine anew = store.made_anew();
      REQUIRE(store.shown_by(anew) == store.shown());
      if (step == 99) store.restart_as(std::move(anew));
    }
  }
}

TEST_CASE("a file that is not a journal is refused, and left unchanged") {
  const TemporaryFolder folder;
  const std::string start = fmt::format("cannot use {}: ", folder.file().string());
  std::ofstream(folder.file()) << "This is a text, and it is long enough for a header of 100 bytes: "
                                  "................................................................";
  const auto size = std::filesystem::file_size(folder.file());
  CHECK(refusal(folder.file()) == start + "it is not a database");
  CHECK(std::filesystem::file_size(folder.file()) == size);
  std::filesystem::remove(folder.file());
  execute(folder.file(), "CREATE TABLE theirs (x)");
  CHECK(refusal(folder.file()) == start + "it is the database of another program");
  CHECK(refusal(folder.file() / "below") ==
        fmt::format("cannot use {}: Not a directory", (folder.file() / "below").string()));
  CHECK(refusal("/dev") == "cannot use /dev: Is a directory");
}

TEST_CASE("a journal of a newer version is refused") {
  const TemporaryFolder folder;
  { const Journal journal(folder.file()); }
  execute(folder.file(), "PRAGMA user_version=2");
  CHECK(refusal(folder.file()) ==
        fmt::format("cannot use {}: it was written by a newer version of mayfly (its format is 2, this one's 1)",
                    folder.file().string()));
}

TEST_CASE("a journal in use is refused to other processes, and free when its process has ended") {
  const TemporaryFolder folder;
  const std::string in_use = fmt::format("cannot use {}: another process is using it", folder.file().string());
  ChildProcess child([&](auto report) {
    const Journal journal(folder.file());
    report(1);
    pause();
  });
  CHECK(child.next() == 1);
  CHECK(refusal(folder.file()) == in_use);
  child.stop();
  const Journal journal(folder.file());
  CHECK(refusal(folder.file()) == in_use);
}

TEST_CASE("a kill at any moment loses no committed change and leaves none half done") {
  // Each transaction adds three items and moves one, so that a part of one would show.
  const auto write_on = [](const std::filesystem::path& file, auto report) {
    Journal journal(file);
    journal.put({1, 1, Off{}, ""}, at(0));
    for (std::int64_t n = 1;; ++n) {
      for (const char* part : {"a", "b", "c"}) journal.put(item(1, std::to_string(n) + part, n));
      journal.put(item(1, "last", n, {}, std::to_string(n) + std::string(5000, 'x')));
      journal.put_fact("last", n);
      journal.commit(at(n));
      report(n);
    }
  };
  for (const std::int64_t kill_at : {1, 2, 7, 50, 333, 1000}) {
    CAPTURE(kill_at);
    const TemporaryFolder folder;
    ChildProcess child([&](auto report) { write_on(folder.file(), report); });
    std::int64_t acknowledged = 0;
    while (acknowledged < kill_at) acknowledged = child.next().value();
    child.stop();
    while (const auto more = child.next()) acknowledged = *more;
    const Journal journal(folder.file());
    const std::int64_t last = journal.fact("last").value();
    CHECK(last >= acknowledged);
    CHECK(last <= acknowledged + 1);  // committed, and killed before it could say so
    CHECK(journal.now() == at(last));
    CHECK(count(journal) == static_cast<std::size_t>(3 * last + 1));
    journal.for_each_item([&](const ItemRecord& found) {
      if (found.id == "last") CHECK(found.body == std::to_string(last) + std::string(5000, 'x'));
    });
  }
}

TEST_CASE("a full disk undoes the transaction, is reported until the roll-back, and loses no earlier commit") {
  const TemporaryFolder folder;
  Journal journal(folder.file(), {.pages = 50});
  journal.put({1, 1, Off{}, ""}, at(0));
  std::int64_t committed = 0;
  const auto fill = [&] {
    while (true) {
      journal.put(item(1, "small " + std::to_string(committed), 1));
      journal.put(item(1, "large " + std::to_string(committed), 1, {}, std::string(6000, 'x')));
      journal.commit(at(committed + 1));
      ++committed;
    }
  };
  const auto full = [](const JournalError& error) {
    return error.kind() == JournalError::Kind::full && std::string(error.what()).ends_with("there is no room left");
  };
  const auto is_refused = [&](auto change) {
    try {
      change();
    } catch (const JournalError& error) {
      return full(error);
    }
    return false;
  };
  CHECK(is_refused(fill));
  CHECK(committed > 10);
  CHECK(is_refused([&] { journal.put(item(1, "x", 1)); }));
  CHECK(is_refused([&] { journal.remove_item(1, "[\"p\"]", "large 0"); }));
  CHECK(is_refused([&] { journal.commit(at(9999)); }));
  journal.roll_back();
  CHECK(journal.now() == at(committed));
  CHECK(count(journal) == static_cast<std::size_t>(2 * committed));
  journal.remove_item(1, "[\"p\"]", "large 0");  // after room is made, the journal works again
  journal.commit(at(9999));
  journal.put(item(1, "new", 9999, {}, std::string(3000, 'x')));
  journal.commit(at(9999));
  CHECK(count(journal) == static_cast<std::size_t>(2 * committed));
}

TEST_CASE("a disk that fails in a commit loses no earlier commit") {
  const TemporaryFolder folder;
  ChildProcess child([&](auto report) {
    limit_files_to(200'000);
    Journal journal(folder.file());
    journal.put({1, 1, Seconds{50}, ""}, at(0));
    std::int64_t n = 0;
    try {
      for (;; ++n) {
        journal.put(item(1, std::to_string(n), 1, {}, std::string(6000, 'x')));
        journal.commit(at(n + 1));
      }
    } catch (const JournalError&) {
      journal.roll_back();
      report(n);
      report(static_cast<std::int64_t>(count(journal)));
      journal.commit(at(n + 100));  // passing time and purging can wait until the disk works
      report(journal.now().time_since_epoch().count());
      report(static_cast<std::int64_t>(journal.purge(at(n + 100), {100})));
      journal.put_now(at(n + 100));  // a moved clock cannot
      try {
        journal.commit(at(n + 100));
      } catch (const JournalError&) {
        report(-1);
      }
    }
  });
  const auto committed = child.next();
  REQUIRE(committed);
  CHECK(*committed > 5);
  CHECK(child.next() == committed);
  CHECK(child.next() == committed);  // the time as well
  CHECK(child.next() == 0);
  CHECK(child.next() == -1);
  child.stop();
  CHECK(count(Journal(folder.file())) == static_cast<std::size_t>(*committed));
}

}  // namespace mayfly::test
