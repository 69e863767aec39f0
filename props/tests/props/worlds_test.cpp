#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "mayfly/model/expiry.hpp"
#include "mayfly/props/generate/generate.hpp"
#include "mayfly/props/property/agreement.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "mayfly/sim/json.hpp"
#include "mayfly/sim/lockstep.hpp"
#include "mayfly/sim/trace.hpp"
#include "shorthand.hpp"

// What each world promises is there: a floor says in how many of its cases at least.

namespace mayfly::test {

namespace {

using Floors = std::map<std::string, std::uint64_t>;
using Seen = std::set<std::string>;

/// Requires a name that is in the table.
const World& world(std::string_view name) { return *world_named(name); }

/// In how many of the first cases of a world `look(case)` sees each thing.
template <class Look>
Floors count(std::string_view name, std::uint64_t cases, Look look) {
  Floors counts;
  for (std::uint64_t seed = 0; seed < cases; ++seed)
    for (const auto& thing : look(generate(seed, world(name)))) ++counts[thing];
  return counts;
}

void hold(const Floors& counts, const Floors& floors) {
  for (const auto& floor : floors) {
    CAPTURE(floor.first);
    CHECK((counts.contains(floor.first) ? counts.at(floor.first) : 0) >= floor.second);
  }
}

/// Calls `look(reference, now, operation)` before each step of a case.
template <class Look>
void follow(const Case& test_case, Look look) {
  ReferenceStore reference;
  Clock clock{test_case.start};
  for (const auto& step : test_case.steps) {
    reference.settle(clock.now());
    look(reference, clock.now(), step.operation);
    apply(reference, clock, step.operation);
  }
}

std::size_t expired_in(const ReferenceStore& store) {
  std::size_t count = 0;
  for (const auto& [name, collection] : store.collections())
    for (const auto& [identity, document] : collection.documents) count += document.expired ? 1 : 0;
  return count;
}

/// The most documents that expire in one second.
std::size_t fullest_second(const ReferenceStore::Collection& collection) {
  std::map<Instant, std::size_t> due;
  std::size_t most = 0;
  for (const auto& [identity, document] : collection.documents)
    if (const auto last = deadline(document.ts, document.ttl, collection.settings.default_ttl))
      most = std::max(most, ++due[*last]);
  return most;
}

Seen seen_in_crowd(const Case& test_case) {
  Seen seen;
  std::size_t expired = 0;
  const auto see_if = [&](bool is_there, const char* thing) {
    if (is_there) seen.insert(thing);
  };
  follow(test_case, [&](const ReferenceStore& store, Instant, const Operation& operation) {
    if (key_of(operation)) return;  // the crowd is as it was, but for one
    const std::size_t now_expired = expired_in(store);
    if (const auto* purge = std::get_if<Purge>(&operation))
      see_if(now_expired > 64 && purge->budget.units > 0 && purge->budget.units < now_expired, "a backlog");
    see_if(now_expired >= expired + 100, "a hundred expire together");
    expired = now_expired;
    see_if(store.collections().size() > 20, "tens of collections");
    for (const auto& [name, collection] : store.collections()) {
      see_if(collection.documents.size() >= 1'000, "a thousand documents");
      see_if(fullest_second(collection) >= 500, "five hundred with one deadline");
    }
  });
  Seen partitions;
  for (const auto& step : test_case.steps)
    if (const auto* key = key_of(step.operation)) partitions.insert(key->partition);
  see_if(partitions.size() >= 100, "a hundred partitions");
  return seen;
}

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

std::string composed(std::string text) {
  for (std::size_t i; (i = text.find("e\u0301")) != text.npos;) text.replace(i, 3, "\u00e9");
  return text;
}

std::string first_plane(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (static_cast<unsigned char>(text[i]) >= 0xf0) text.replace(i, 4, "?");
  return text;
}

std::string without_zeros(const std::string& text) {
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  return is_number ? text.substr(std::min(text.find_first_not_of('0'), text.size() - 1)) : text;
}

/// What a careless store makes of an identity.
const std::map<std::string, std::string (*)(const DocumentKey&)> readings{
    {"case", [](const DocumentKey& key) { return key.partition + '\1' + lower(key.id); }},
    {"spaces",
     [](const DocumentKey& key) { return key.partition + '\1' + key.id.substr(0, key.id.find_last_not_of(' ') + 1); }},
    {"form", [](const DocumentKey& key) { return key.partition + '\1' + composed(key.id); }},
    {"zeros", [](const DocumentKey& key) { return key.partition + '\1' + without_zeros(key.id); }},
    {"the first 64 bytes", [](const DocumentKey& key) { return key.partition + '\1' + key.id.substr(0, 64); }},
    {"the first 255 bytes", [](const DocumentKey& key) { return key.partition + '\1' + key.id.substr(0, 255); }},
    {"up to NUL", [](const DocumentKey& key) { return key.partition + '\1' + key.id.substr(0, key.id.find('\0')); }},
    {"16 bits", [](const DocumentKey& key) { return key.partition + '\1' + first_plane(key.id); }},
    {"joined", [](const DocumentKey& key) { return key.partition + key.id; }},
    {"joined by a slash", [](const DocumentKey& key) { return key.partition + '/' + key.id; }},
    {"joined by a colon", [](const DocumentKey& key) { return key.partition + ':' + key.id; }},
    {"joined collections", [](const DocumentKey& key) { return key.collection + '/' + key.partition + '\1' + key.id; }},
    {"partitions without case", [](const DocumentKey& key) { return lower(key.partition) + '\1' + key.id; }},
    {"collections without case",
     [](const DocumentKey& key) { return lower(key.collection) + '\1' + key.partition + '\1' + key.id; }},
};

/// The readings under which two documents of a case are one.
Seen seen_in_names(const Case& test_case) {
  std::set<DocumentKey> keys;
  for (const auto& step : test_case.steps)
    if (const auto* key = key_of(step.operation)) keys.insert(*key);
  Seen seen;
  for (const auto& [name, read] : readings) {
    std::map<std::string, DocumentKey> first;
    const bool is_of_collections = name.find("collections") != name.npos;
    for (const auto& key : keys) {
      const auto [place, is_new] = first.try_emplace((is_of_collections ? "" : key.collection + '\1') + read(key), key);
      if (!is_new) seen.insert(name);
    }
  }
  return seen;
}

}  // namespace

TEST_CASE("each world gets its share of the time, if its cases cost what the table says") {
  constexpr std::uint64_t cases = 400'000;
  const Worlds worlds;
  std::map<std::string_view, double> seconds;
  double all = 0;
  for (std::uint64_t number = 0; number < cases; ++number) {
    const World& drawn = worlds.of_case(1, number);
    seconds[drawn.name] += drawn.cost;
    all += drawn.cost;
  }
  unsigned shares = 0;
  for (const World& drawn : all_worlds) {
    CAPTURE(drawn.name);
    shares += drawn.share;
    CHECK(seconds[drawn.name] / all == doctest::Approx(drawn.share / 100.0).epsilon(0.1));
  }
  CHECK(shares == 100);
}

TEST_CASE("a world is known by its name, and one that is pinned has every case") {
  for (const World& pinned : all_worlds) {
    CHECK(*world_named(pinned.name) == pinned);
    CHECK(&all_worlds[index_of(pinned)] == &pinned);
    for (std::uint64_t number = 0; number < 20; ++number) CHECK(Worlds(pinned).of_case(1, number) == pinned);
  }
  CHECK(world_named("") == nullptr);
}

TEST_CASE("where time is real, only worlds of short cases are drawn") {
  const Worlds worlds = Worlds().in_real_time(40, 3);
  for (std::uint64_t number = 0; number < 200; ++number) {
    const World& drawn = worlds.of_case(1, number);
    CHECK(drawn.is_for_real_time);
    const Case test_case = generate(number, drawn);
    CHECK(test_case.steps.size() <= 40);
    for (const auto& step : test_case.steps)
      if (const auto* advance = std::get_if<Advance>(&step.operation)) CHECK(advance->seconds <= Seconds{3});
  }
  CHECK(Worlds(world("crowd")).in_real_time(40, 3).empty());
}

TEST_CASE("no case of any world is longer than asked for") {
  for (const World& some : all_worlds)
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      World shorter = some;
      shorter.longest_case = 30;
      CHECK(generate(seed, shorter).steps.size() <= 30);
      CHECK(generate(seed, some).steps.size() <= some.longest_case);
    }
}

TEST_CASE("a small case is that of no world in particular") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) CHECK(generate(seed, world("small")) == generate(seed, {}));
}

TEST_CASE("a crowd is a thousand documents, one second of hundreds, a backlog, or tens of collections") {
  hold(count("crowd", 200, seen_in_crowd), {{"a thousand documents", 25},
                                            {"five hundred with one deadline", 25},
                                            {"a hundred expire together", 40},
                                            {"a backlog", 40},
                                            {"tens of collections", 5},
                                            {"a hundred partitions", 5}});
}

TEST_CASE("crowds have the sizes at which pages and buckets are full, and one document more or less") {
  std::set<std::size_t> sizes;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    std::map<std::string, std::set<std::string>> ids;
    for (const auto& step : generate(seed, world("crowd")).steps)
      if (const auto* key = key_of(step.operation)) ids[key->collection].insert(key->id);
    for (const auto& [collection, members] : ids) sizes.insert(members.size());
  }
  for (const std::size_t size : {10U, 16U, 32U, 64U, 100U, 128U, 256U, 512U, 1'000U, 1'024U, 2'048U})
    for (const std::size_t near : {size - 1, size, size + 1}) {
      CAPTURE(near);
      CHECK(sizes.contains(near));
    }
}

TEST_CASE("names meet that a careless store takes for one") {
  Floors floors;
  for (const auto& reading : readings) floors[reading.first] = 15;
  hold(count("names", 2'000, seen_in_names), floors);
}

TEST_CASE("values are of every length and character") {
  std::set<std::size_t> sizes;
  std::set<char> characters;
  std::set<std::string> texts;
  for (std::uint64_t seed = 0; seed < 3'000; ++seed)
    for (const auto& step : generate(seed, world("values")).steps) {
      const auto object = to_json(step.operation);
      const auto* value = object.if_contains("value");
      if (!value) continue;
      const std::string text(value->as_string());
      sizes.insert(text.size());
      if (text.size() < 100) characters.insert(text.begin(), text.end());
      if (text.size() < 100) texts.insert(text);
    }
  for (const std::size_t size : {0U, 1U, 255U, 256U, 1'024U, 65'535U, 65'536U, 1'048'575U, 1'048'576U}) {
    CAPTURE(size);
    CHECK(sizes.contains(size));
  }
  for (const char c :
       {'\0', '\1', '\b', '\t', '\n', '\f', '\r', '\x1b', '\x1f', '\x7f', '"', '\\', '/', '\'', '<', '%'})
    CHECK(characters.contains(c));
  for (const char* text :
       {"{\"ttl\":1}", "null", "-1", "01", "1.0", "FLUSHALL\r\n", "e\u0301", "\u00e9", "\U0001f600", "\u2028"}) {
    CAPTURE(text);
    CHECK(texts.contains(text));
  }
}

TEST_CASE(
    "a long history has one document written hundreds of times, deleted a hundred times, or settings changed so") {
  hold(count("long", 200,
             [](const Case& test_case) {
               std::map<DocumentKey, std::size_t> writes, deletes;
               std::map<std::string, std::size_t> changes;
               Seen seen;
               for (const auto& step : test_case.steps) {
                 const auto* key = key_of(step.operation);
                 const bool is_delete = std::holds_alternative<Delete>(step.operation);
                 if (key && !is_read_only(step.operation) &&
                     ++(is_delete ? deletes : writes)[*key] == (is_delete ? 128 : 500))
                   seen.insert(is_delete ? "deleted" : "written");
                 const auto* change = std::get_if<ReplaceCollection>(&step.operation);
                 if (change && ++changes[change->collection] == 128) seen.insert("changed");
               }
               if (test_case.steps.size() >= 2'000) seen.insert("thousands of operations");
               return seen;
             }),
       {{"written", 40}, {"deleted", 20}, {"changed", 20}, {"thousands of operations", 20}});
}

TEST_CASE("the clock meets round deadlines, and ttls have every magnitude") {
  const std::map<std::string, std::int64_t> rounds{{"a minute", 60}, {"an hour", 3'600}, {"midnight", 86'400},
                                                   {"64", 64},       {"256", 256},       {"1024", 1'024},
                                                   {"4096", 4'096},  {"65536", 65'536}};
  Floors counts;
  std::set<std::int64_t> ttls;
  std::set<std::size_t> magnitudes;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    Seen seen;
    follow(generate(seed, world("rollover")),
           [&](const ReferenceStore& store, Instant now, const Operation& operation) {
             const auto object = to_json(operation);
             if (const auto* ttl = object.if_contains("ttl"); ttl && ttl->is_int64()) {
               ttls.insert(ttl->get_int64());
               if (ttl->get_int64() > 0 && ttl->get_int64() <= largest_ttl)
                 magnitudes.insert(std::bit_width(static_cast<std::uint64_t>(ttl->get_int64())));
             }
             for (const auto& [name, collection] : store.collections())
               for (const auto& [identity, document] : collection.documents) {
                 const auto due = deadline(document.ts, document.ttl, collection.settings.default_ttl);
                 if (!due || now < *due - Seconds{1} || now > *due + Seconds{1}) continue;
                 const char* side = now < *due ? "before " : now == *due ? "on " : "after ";
                 for (const auto& [round, seconds] : rounds)
                   if (second_of(*due) % seconds == 0) seen.insert(side + round);
               }
           });
    for (const auto& thing : seen) ++counts[thing];
  }
  Floors floors;
  for (const auto& round : rounds)
    for (const char* side : {"before ", "on ", "after "}) floors[side + round.first] = 40;
  hold(counts, floors);
  for (std::size_t magnitude = 1; magnitude <= 31; ++magnitude) CHECK(magnitudes.contains(magnitude));
  for (const std::int64_t ttl :
       {std::int64_t{86'400}, std::int64_t{2'592'000}, std::int64_t{2'147'483}, std::int64_t{2'147'484},
        std::int64_t{4'294'967}, std::int64_t{4'294'968}, std::int64_t{1} << 20, std::int64_t{1} << 30,
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max() / 1'000,
        std::int64_t{18'446'744'073'709'561}}) {
    CAPTURE(ttl);
    CHECK(ttls.contains(ttl));
  }
}

TEST_CASE("in every world the engine answers as the reference, observed and not") {
  InProcess<Engine> engine("engine", Audit::every_operation);
  for (const World& some : all_worlds)
    for (std::uint64_t seed = 0; seed < 40; seed += stride)
      for (const Watch watch : {Watch::nothing, Watch::everything}) {
        CAPTURE(some.name);
        CAPTURE(seed);
        CHECK(!check_agreement(generate(seed, some), engine, watch));
      }
}

// A change of the generator may change these figures; a change of compiler or machine may not.
TEST_CASE("the same seed gives the same case of every world on every compiler") {
  const std::map<std::string_view, std::uint64_t> digests{
      {"small", 2'492'393'007'903'362'535u},  {"crowd", 17'926'106'755'240'606'631u},
      {"names", 17'271'997'800'968'723'731u}, {"values", 3'269'987'201'455'328'150u},
      {"long", 6'599'270'063'873'671'191u},   {"rollover", 12'612'748'828'884'531'557u}};
  for (const World& some : all_worlds) {
    std::uint64_t digest = 0xcbf29ce484222325;  // FNV-1a
    for (std::uint64_t seed = 0; seed < 20; ++seed)
      for (const char c : trace_text(generate(seed, some)))
        digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    CAPTURE(some.name);
    CHECK(digest == digests.at(some.name));
  }
}

}  // namespace mayfly::test
