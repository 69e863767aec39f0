#include "mayfly/props/generate/generate.hpp"

#include <map>
#include <set>

#include <boost/container_hash/hash.hpp>
#include <doctest/doctest.h>

#include "mayfly/model/expiry.hpp"
#include "mayfly/props/property/agreement.hpp"
#include "mayfly/props/property/decisive.hpp"
#include "mayfly/props/property/property.hpp"
#include "mayfly/props/property/tally.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "mayfly/sim/json.hpp"
#include "mayfly/sim/trace.hpp"

namespace mayfly::test {

namespace {

constexpr std::uint64_t cases_looked_at = 2'000;

/// Things that matter and are rare: in how many cases each happens at least once.
struct Rare {
  std::map<std::string, std::uint64_t> cases;

  void look_at(const Case& test_case) {
    InProcess<Engine> engine("engine");
    Lockstep lockstep(test_case.start, engine);
    std::set<std::string> seen;
    std::map<DocumentKey, bool> purged_since_written;
    for (const auto& step : test_case.steps) {
      lockstep.reference().settle(lockstep.now());
      note_reads(lockstep, step.operation, seen);
      const std::size_t expired = count_expired(lockstep);
      const Exchange exchange = lockstep.step(step.operation);
      if (std::holds_alternative<ReplaceCollection>(step.operation) && count_expired(lockstep) > expired)
        seen.insert("a default change that expires documents");
      note_purges(lockstep, step.operation, exchange, purged_since_written, seen);
      note_crowds(lockstep, seen);
    }
    for (const auto& name : seen) ++cases[name];
  }

 private:
  static std::size_t count_expired(Lockstep& lockstep) {
    std::size_t count = 0;
    for (const auto& [name, collection] : lockstep.reference().collections())
      for (const auto& [identity, document] : collection.documents) count += document.expired ? 1 : 0;
    return count;
  }

  static void note_reads(Lockstep& lockstep, const Operation& operation, std::set<std::string>& seen) {
    const auto* read = std::get_if<Read>(&operation);
    const auto& collections = lockstep.reference().collections();
    const auto collection = read ? collections.find(read->key.collection) : collections.end();
    if (collection == collections.end()) return;
    const auto& documents = collection->second.documents;
    const auto document = documents.find({read->key.partition, read->key.id});
    if (document == documents.end()) return;
    const auto due = deadline(document->second.ts, document->second.ttl, collection->second.settings.default_ttl);
    if (due == lockstep.now()) seen.insert("a read exactly at the deadline");
    if (due == lockstep.now() + Seconds{1}) seen.insert("a read in the last second of a life");
  }

  static bool is_stored(Lockstep& lockstep, const DocumentKey& key) {
    const auto& collections = lockstep.reference().collections();
    const auto collection = collections.find(key.collection);
    return collection != collections.end() && collection->second.documents.contains({key.partition, key.id});
  }

  static void note_crowds(Lockstep& lockstep, std::set<std::string>& seen) {
    for (const auto& [name, collection] : lockstep.reference().collections()) {
      std::map<Instant, int> due;
      for (const auto& [identity, document] : collection.documents)
        if (const auto last = deadline(document.ts, document.ttl, collection.settings.default_ttl))
          if (++due[*last] == 3) seen.insert("three documents with one deadline");
    }
  }

  static void note_purges(Lockstep& lockstep, const Operation& operation, const Exchange& exchange,
                          std::map<DocumentKey, bool>& purged_since_written, std::set<std::string>& seen) {
    if (std::holds_alternative<Purge>(operation))
      for (auto& [key, purged] : purged_since_written) purged = purged || !is_stored(lockstep, key);
    std::visit(
        [&](const auto& o) {
          if constexpr (requires { o.content; }) {
            if (!exchange.actual.document) return;
            if (purged_since_written[o.key]) seen.insert("a purge between two writes of one identity");
            purged_since_written[o.key] = false;
          }
        },
        operation);
    // What goes by a delete is not purged.
    const auto* gone = std::get_if<Delete>(&operation);
    if (gone) purged_since_written.erase(gone->key);
    if (std::holds_alternative<DeleteCollection>(operation)) purged_since_written.clear();
  }
};

}  // namespace

TEST_CASE("rare things happen in at least as many of 2000 cases as their floors say") {
  Rare rare;
  for (std::uint64_t seed = 0; seed < cases_looked_at; ++seed) rare.look_at(generate(seed, {}));
  const std::map<std::string, std::uint64_t> floors{
      {"a read exactly at the deadline", 200},          {"a read in the last second of a life", 200},
      {"a default change that expires documents", 200}, {"a purge between two writes of one identity", 100},
      {"three documents with one deadline", 100},
  };
  for (const auto& floor : floors) {
    CAPTURE(floor.first);
    CHECK(rare.cases[floor.first] >= floor.second);
  }
}

TEST_CASE("every answer is given in 2000 cases") {
  InProcess<Engine> engine("engine");
  Tally tally;
  for (std::uint64_t seed = 0; seed < cases_looked_at; ++seed) {
    CHECK(!check_agreement(generate(seed, {}), engine, Watch::nothing, &tally));
  }
  const std::map<std::string_view, std::vector<int>> answers{{"advance", {200}},
                                                             {"create_collection", {201, 400, 409}},
                                                             {"replace_collection", {200, 400, 404}},
                                                             {"read_collection", {200, 404}},
                                                             {"delete_collection", {204, 404}},
                                                             {"create", {201, 400, 404, 409}},
                                                             {"replace", {200, 400, 404}},
                                                             {"upsert", {200, 201, 400, 404}},
                                                             {"patch", {200, 400, 404}},
                                                             {"read", {200, 404}},
                                                             {"delete", {204, 404}},
                                                             {"query", {200, 400, 404}},
                                                             {"purge", {200}},
                                                             {"index", {200, 404}},
                                                             {"count", {200, 400, 404}},
                                                             {"held", {200}}};
  for (std::size_t kind = 0; kind < Tally::kind_count; ++kind) {
    std::vector<int> given;
    for (std::size_t status = 0; status < Tally::statuses.size(); ++status)
      if (tally.answers(kind, status) > 0) given.push_back(static_cast<int>(Tally::statuses[status]));
    CAPTURE(keywords[kind]);
    CHECK(given == answers.at(keywords[kind]));
  }
}

TEST_CASE("every class of edge value and start time is drawn") {
  std::set<std::string> ttls;
  std::set<std::int64_t> starts;
  for (std::uint64_t seed = 0; seed < cases_looked_at; ++seed) {
    const Case test_case = generate(seed, {});
    starts.insert(test_case.start.time_since_epoch().count());
    for (const auto& step : test_case.steps) {
      const auto object = to_json(step.operation);
      if (const auto* ttl = object.if_contains("ttl")) ttls.insert(to_line({{"ttl", *ttl}}));
    }
  }
  for (const char* ttl : {"-1",
                          "1",
                          "2",
                          "2147483647",
                          "0",
                          "-2",
                          "2147483648",
                          "4294967296",
                          "null",
                          "1.5E0",
                          "\"5\"",
                          "true",
                          "[5]",
                          "{}",
                          "-3",
                          "-3600",
                          "-2147483648",
                          "4294967295",
                          "4294967301",
                          "12884901889",
                          "-4294967291",
                          "9007199254740993",
                          "9223372036854775807",
                          "-9223372036854775808",
                          "1.8446744073709556E19",
                          "1E300",
                          "\"\"",
                          "false",
                          "[]",
                          "1E0",
                          "-1E0",
                          "2.147483647E9"}) {
    CAPTURE(ttl);
    CHECK(ttls.contains(std::string("{\"ttl\":") + ttl + "}"));
  }
  for (const std::int64_t start : {std::int64_t{0}, std::int64_t{1} << 31, (std::int64_t{1} << 31) - 1,
                                   std::int64_t{1} << 32, (std::int64_t{1} << 32) - 1, std::int64_t{1'700'000'000}}) {
    CAPTURE(start);
    CHECK(starts.contains(start));
  }
}

// A change of the generator may change these figures; a change of compiler or machine may not.
TEST_CASE("the same seed gives the same case and the same transcript, byte for byte, on every compiler") {
  std::string transcript;
  InProcess<Engine> engine("engine");
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Case test_case = generate(seed, {});
    transcript += trace_text(test_case);
    engine.reset(test_case.start);
    for (const auto& step : test_case.steps) transcript += to_line(to_json(engine.apply(step.operation))) + "\n";
  }
  std::uint64_t digest = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : transcript) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  CHECK(transcript.size() == 1'291'584);
  CHECK(digest == 8'377'678'972'347'499'934u);
}

TEST_CASE("one case in 64 is long, and mostly writes that succeed") {
  std::uint64_t long_cases = 0, most_writes = 0, operations = 0, of_long_cases = 0;
  for (std::uint64_t seed = 0; seed < 4'000; ++seed) {
    const Case test_case = generate(seed, {});
    operations += test_case.steps.size();
    CHECK(test_case.steps.size() <= 2'000);
    if (test_case.steps.size() <= 100) continue;
    ++long_cases;
    of_long_cases += test_case.steps.size();
    InProcess<Engine> engine("engine");
    engine.reset(test_case.start);
    std::uint64_t writes = 0;
    for (const auto& step : test_case.steps) writes += engine.apply(step.operation).document ? 1 : 0;
    most_writes = std::max(most_writes, writes);
  }
  CHECK(long_cases > 40);
  CHECK(long_cases < 90);
  CHECK(most_writes > 500);
  CHECK(of_long_cases * 4 < operations);  // they take less than a quarter of the time
}

TEST_CASE("no case is longer than asked for") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const auto size = generate(seed, {.longest_case = 7}).steps.size();
    CHECK(size >= 1);
    CHECK(size <= 7);
  }
}

TEST_CASE("what is usual can be shorter, and what is long is longer than that") {
  const World world{.longest_case = 50, .usual_case = 5, .one_is_long_in = 4};
  std::size_t long_cases = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto size = generate(seed, world).steps.size();
    CHECK(size <= 50);
    long_cases += size > 5 ? 1 : 0;
  }
  CHECK(long_cases > 60);
  CHECK(long_cases < 140);
}

TEST_CASE("cases with short clock steps take none that is longer, and still get to deadlines") {
  const World world{.longest_step = 3};
  std::uint64_t expired = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Case test_case = generate(seed, world);
    InProcess<ReferenceStore> reference("reference");
    Tally tally;
    check_agreement(test_case, reference, Watch::nothing, &tally);
    expired += tally.decisive(Rule::X2);
    for (const auto& step : test_case.steps)
      if (const auto* advance = std::get_if<Advance>(&step.operation)) CHECK(advance->seconds <= Seconds{3});
  }
  CHECK(expired > 200);
}

}  // namespace mayfly::test
