#include "mayfly/sim/engine/engine.hpp"

#include <set>

#include <doctest/doctest.h>

#include "mayfly/sim/random.hpp"
#include "shorthand.hpp"

namespace mayfly::test {

namespace {

DocumentKey key(std::uint64_t number) {
  return {"c0", "p" + std::to_string(number % 1000), "d" + std::to_string(number)};
}

TtlField seconds(std::int64_t number) { return number; }

constexpr Budget plenty{1'000'000'000};

}  // namespace

TEST_CASE("a million documents are written, changed by one default, purged in parts, and gone") {
  constexpr std::uint64_t million = 1'000'000;
  Engine engine;
  engine.create_collection(at(0), "c0", {.default_ttl = seconds(1000)});
  for (std::uint64_t i = 0; i < million; ++i)
    engine.upsert(at(static_cast<std::int64_t>(i % 100)), key(i),
                  {.ttl = i % 2 == 0 ? TtlField{} : seconds(500), .value = "v"});
  CHECK(engine.held("c0") == million);
  engine.replace_collection(at(100), "c0", {.default_ttl = seconds(1)});
  CHECK(engine.read(at(100), key(98)).status == Status::not_found);
  CHECK(engine.read(at(100), key(99)).status == Status::ok);
  CHECK(engine.purge(at(100), {1000}).purged == 1000);
  CHECK(engine.purge(at(100), plenty).purged == million / 2 - 1000);
  CHECK(engine.query(at(100), "c0", "p7").documents->size() == million / 1000);
  CHECK(engine.purge(at(700), plenty).purged == million / 2);
  CHECK(engine.held("c0") == 0);
}

TEST_CASE("every document begins a cache line") {
  engine::DocumentTable table;
  for (int i = 0; i < 1'000; ++i) table.insert("p", std::to_string(i));
  const engine::DocumentTable copy = table;
  table.check_invariants();
  copy.check_invariants();
}

namespace {

/// Counts how often its elements are moved by a map, in all.
struct Moved {
  explicit Moved(std::uint64_t of) : number(of) {}
  Moved(Moved&& other) noexcept : number(other.number) { ++count; }
  Moved& operator=(Moved&&) = delete;
  Moved(const Moved&) = delete;
  Moved& operator=(const Moved&) = delete;
  ~Moved() = default;

  std::uint64_t number;
  static inline std::uint64_t count = 0;
};

constexpr std::uint64_t most_moved = 4'096;

}  // namespace

TEST_CASE("a map that grows moves few elements at a time, and finds all") {
  engine::SteppedMap<boost::unordered_flat_map<std::string, Moved>> map;
  constexpr std::uint64_t size = 200'000;
  std::uint64_t most = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    const std::uint64_t before = Moved::count;
    const auto [added, is_new] = map.try_emplace(std::to_string(i), i);
    most = std::max(most, Moved::count - before);
    REQUIRE(is_new);
    REQUIRE(added->number == i);
    REQUIRE(!map.try_emplace(std::to_string(i), i).second);
    if (i % 3 == 0) map.erase(std::to_string(i));
  }
  CHECK(most > 100);
  CHECK(most <= most_moved);
  for (std::uint64_t i = 0; i < size; ++i) {
    const Moved* const found = map.find(std::to_string(i));
    REQUIRE((found && found->number == i) == (i % 3 != 0));
  }
  std::uint64_t shown = 0;
  map.for_each([&](const std::string&, const Moved&) { ++shown; });
  CHECK(shown == size - (size + 2) / 3);
}

TEST_CASE("an array that grows moves nothing") {
  engine::StableArray<std::string, 32> array;
  std::vector<const std::string*> places;
  for (int i = 0; i < 10'000; ++i) places.push_back(&array.emplace_back(std::to_string(i)));
  const engine::StableArray<std::string, 32> copy = array;
  for (std::size_t i = 0; i < places.size(); ++i) {
    REQUIRE(&array[i] == places[i]);
    REQUIRE(array[i] == std::to_string(i));
    REQUIRE(copy[i] == array[i]);
    REQUIRE(&copy[i] != places[i]);
  }
  engine::StableArray<std::string, 32> shorter;
  shorter.emplace_back("x");
  array = shorter;
  CHECK(array.size() == 1);
  CHECK(array[0] == "x");
  array = copy;
  CHECK(array.size() == copy.size());
  CHECK(&array[9'999] == places[9'999]);
}

TEST_CASE("free slots are taken again, the last one first") {
  engine::DocumentTable table;
  for (int i = 0; i < 10; ++i) table.insert("p", std::to_string(i));
  for (const engine::SlotId slot : {3U, 7U, 5U}) table.erase(slot);
  std::vector<engine::SlotId> free;
  table.for_each_free([&](engine::SlotId slot) { free.push_back(slot); });
  CHECK(free == std::vector<engine::SlotId>{5, 7, 3});
  table.check_invariants();
  for (const engine::SlotId slot : free) CHECK(table.insert("p", "new " + std::to_string(slot)) == slot);
  CHECK(table.insert("p", "last") == 10);
  table.check_invariants();
}

TEST_CASE("copies are independent") {
  Engine original;
  original.create_collection(at(0), "c0", {.default_ttl = seconds(10)});
  original.create(at(0), key(1), {});
  Engine copy = original;
  copy.erase(at(1), key(1));
  copy.create(at(1), key(2), {});
  CHECK(original.read(at(1), key(1)).status == Status::ok);
  CHECK(original.read(at(1), key(2)).status == Status::not_found);
  original = copy;
  CHECK(original.read(at(1), key(2)).status == Status::ok);
  original.check_invariants();
  copy.check_invariants();
}

TEST_CASE("documents whose fingerprints collide are distinguished") {
  for (const std::uint64_t mask : {std::uint64_t{0}, std::uint64_t{3}}) {
    engine::DocumentTable table(mask);
    std::set<std::string> there;
    Random random(mask);
    for (int i = 0; i < 5'000; ++i) {
      const std::string id = std::to_string(random.below(40));
      const auto slot = table.find("p", id);
      REQUIRE((slot != engine::no_slot) == there.contains(id));
      if (slot == engine::no_slot) {
        REQUIRE(table[table.insert("p", id)].id == id);
        there.insert(id);
      } else if (random.one_in(2)) {
        table.erase(slot);
        there.erase(id);
      }
      if (i % 100 == 0) table.check_invariants();
    }
    CHECK(table.size() == there.size());
  }
}

TEST_CASE("P1: writes that keep pulling a deadline forward do not pile up entries") {
  Engine engine;
  engine.create_collection(at(0), "c0", {.default_ttl = seconds(10)});
  for (int i = 0; i < 10'000; ++i) {
    engine.upsert(at(i / 100), key(1), {.ttl = i % 2 == 0 ? seconds(100'000 - i) : TtlField{}});
    engine.upsert(at(i / 100), key(1), {.ttl = i % 3 == 1 ? seconds(-1) : seconds(50)});
    engine.check_invariants();  // they bound the entries
  }
  CHECK(engine.purge(at(1'000'000), plenty).purged == 1);
}

TEST_CASE("P5: purges with a small budget make progress, whatever is written between them") {
  Engine engine;
  engine.create_collection(at(0), "c0", {.default_ttl = seconds(-1)});
  for (std::uint64_t i = 0; i < 1'000; ++i)
    engine.create(at(0), key(i), {.ttl = seconds(1 + static_cast<std::int64_t>(i % 7))});
  for (std::uint64_t i = 0; i < 1'000; i += 3) engine.upsert(at(1), key(i), {.ttl = seconds(100)});
  std::uint64_t purged = 0;
  while (const auto now_purged = *engine.purge(at(50), {7}).purged) {
    CHECK(now_purged <= 7);
    purged += now_purged;
    engine.check_invariants();
  }
  CHECK(purged == 1'000 - 334);  // a third was rewritten and lives on
}

TEST_CASE("P5: a purge with budget enough finds what is expired among thousands that were written again") {
  for (const TtlField& ttl : {TtlField{}, seconds(100)}) {
    Engine engine;
    engine.create_collection(at(0), "c0", {.default_ttl = seconds(100)});
    const auto write_all = [&](std::int64_t second) {
      for (std::uint64_t i = 0; i < 3'000; ++i) engine.upsert(at(second), key(i), {.ttl = ttl});
    };
    write_all(0);
    engine.create(at(1), key(5'000), {.ttl = ttl});
    write_all(99);
    CHECK(engine.purge(at(150), {2}).purged == 1);
    CHECK(engine.purge(at(150), {2}).purged == 0);
  }
}

TEST_CASE("I3: a lazy index takes in as many changes as its budget, and shows no old content") {
  Engine engine;
  engine.create_collection(at(0), "c0", {.default_ttl = seconds(-1), .indexing = Indexing::lazy});
  for (std::uint64_t i = 0; i < 10; ++i) engine.create(at(0), key(i), {.value = "old"});
  const auto shown = [&] { return engine.query(at(0), "c0", std::nullopt).documents->size(); };
  CHECK(shown() == 0);
  engine.index(at(0), "c0", {4});
  CHECK(shown() == 4);
  engine.index(at(0), "c0", {100});
  CHECK(shown() == 10);
  engine.replace(at(0), key(0), {.value = "new"});
  engine.erase(at(0), key(1));
  CHECK(shown() == 8);
  engine.index(at(0), "c0", {1});
  CHECK(shown() == 9);
  engine.replace_collection(at(0), "c0", {.default_ttl = seconds(5), .indexing = Indexing::lazy});
  CHECK(shown() == 0);
  engine.index(at(0), "c0", {100});
  CHECK(shown() == 9);
}

TEST_CASE("I4: a collection that comes back to lazy indexing under the same default is indexed anew") {
  Engine engine;
  const auto index_as = [&](Indexing indexing) {
    engine.replace_collection(at(0), "c0", {.default_ttl = seconds(-1), .indexing = indexing});
  };
  engine.create_collection(at(0), "c0", {.default_ttl = seconds(-1), .indexing = Indexing::lazy});
  engine.create(at(0), key(0), {});
  engine.index(at(0), "c0", {10});
  engine.erase(at(0), key(0));
  index_as(Indexing::consistent);
  engine.create(at(0), key(1), {});  // in the place of the first, which the lazy index no longer shows
  index_as(Indexing::lazy);
  engine.index(at(0), "c0", {10});
  CHECK(engine.query(at(0), "c0", std::nullopt).documents->size() == 1);
}

}  // namespace mayfly::test
