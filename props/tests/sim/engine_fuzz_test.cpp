#include <array>
#include <limits>
#include <map>
#include <string>

#include <doctest/doctest.h>

#include "mayfly/model/reference.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "mayfly/sim/random.hpp"

// Engine and reference in lockstep with thousands of documents, where the engine takes other paths than with the few of
// a random case: entries wait, purges are cut short and out of order, stale entries are swept, partitions are in runs.

namespace mayfly::test {

namespace {

constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t document_count = 2'500;

const std::array<std::string, 2> names{"c0", "c1"};

/// Both stores at one time. Copies are independent.
class Pair {
 public:
  explicit Pair(std::uint64_t seed) : random_(seed), now_{Seconds{random_.one_in(2) ? 0 : 1'700'000'000}} {
    for (const std::string& name : names) redefine(name);
    for (std::uint64_t i = 0; i < document_count; ++i) write(key(i));
  }

  void play_phase() {
    const std::uint64_t operations = random_.below(120);
    for (std::uint64_t i = 0; i < operations; ++i) step();
    if (random_.one_in(3)) rewrite_range();
    if (random_.one_in(3)) redefine(names[random_.below(2)]);
    jump();
    const std::array<std::uint64_t, 4> budgets{1, 30, 700, all};
    purge(random_.pick<std::uint64_t>(budgets));
    for (const std::string& name : names) index(name, random_.pick<std::uint64_t>(budgets));
    check();
  }

  void check() {
    engine_.check_invariants();
    for (const std::string& name : names) {
      compare(model_.query(now_, name, std::nullopt), engine_.query(now_, name, std::nullopt));
      const std::string partition = "p" + std::to_string(random_.below(4));
      compare(model_.query(now_, name, partition), engine_.query(now_, name, partition));
      check_pages(name, random_.one_in(2) ? std::optional(partition) : std::nullopt);
    }
  }

  /// With budget enough, in one part or in many, nothing expired is left (P5) and the lazy index has caught up (I4).
  void check_end() {
    for (const std::string& name : names) index(name, all);
    const std::uint64_t budget = random_.one_in(2) ? all : 50;
    model_.purge(now_, {all});
    for (int calls = 0; calls < 1'000; ++calls) engine_.purge(now_, {budget});
    for (const std::string& name : names) {
      const auto& collection = model_.collections().at(name);
      if (std::holds_alternative<Off>(collection.settings.default_ttl)) continue;  // P3
      CHECK(engine_.held(name) == collection.documents.size());
    }
    check();
  }

  void jump_to_the_end() { now_ = latest_instant - Seconds{1'000}; }

  void draw_from(std::uint64_t seed) { random_ = Random(seed); }

 private:
  static void compare(const Expectation& expected, const Outcome& actual) { REQUIRE(allows(expected, actual)); }

  /// Half of them are in one partition.
  static DocumentKey key(std::uint64_t number) {
    const std::string partition = "p" + std::to_string(number % 2 == 0 ? 0 : number / 2 % 300);
    return {names[number % 5 == 0 ? 1 : 0], partition, "d" + std::to_string(number)};
  }

  DocumentKey any_key() { return key(random_.below(document_count)); }

  TtlField any_ttl() {
    const std::uint64_t dice = random_.below(10);
    if (dice < 3) return Absent{};
    if (dice == 3) return std::int64_t{-1};
    if (dice == 4) return std::int64_t{2'147'483'647};
    return static_cast<std::int64_t>(1 + random_.below(std::uint64_t{1} << random_.below(31)));
  }

  void write(const DocumentKey& to) {
    const Content content{.ttl = any_ttl(), .value = std::to_string(random_.below(10))};
    compare(model_.upsert(now_, to, content), engine_.upsert(now_, to, content));
  }

  void step() {
    const DocumentKey to = any_key();
    const std::uint64_t dice = random_.below(20);
    if (dice < 12) return write(to);
    if (dice < 15) return compare(model_.erase(now_, to), engine_.erase(now_, to));
    if (dice < 17) return compare(model_.read(now_, to), engine_.read(now_, to));
    if (dice == 17) {
      const Patch patch{.value = "patched", .ttl = any_ttl()};
      return compare(model_.patch(now_, to, patch), engine_.patch(now_, to, patch));
    }
    const Content content{.ttl = any_ttl()};
    if (dice == 18) return compare(model_.create(now_, to, content), engine_.create(now_, to, content));
    compare(model_.replace(now_, to, content), engine_.replace(now_, to, content));
  }

  /// Many documents of one kind, one after the other.
  void rewrite_range() {
    const std::uint64_t first = random_.below(document_count);
    const Content content{.ttl = any_ttl()};
    for (std::uint64_t i = first; i < document_count && i < first + 150; ++i)
      compare(model_.upsert(now_, key(i), content), engine_.upsert(now_, key(i), content));
  }

  void redefine(const std::string& name) {
    Definition definition{.default_ttl = any_ttl()};
    if (random_.one_in(2)) definition.indexing = Indexing::lazy;
    compare(model_.create_collection(now_, name, definition), engine_.create_collection(now_, name, definition));
    compare(model_.replace_collection(now_, name, definition), engine_.replace_collection(now_, name, definition));
  }

  // Jumps of every magnitude, most of which leave many documents alive.
  void jump() {
    const unsigned bits = random_.one_in(6) ? 38 : 12;
    now_ = std::min(now_ + Seconds{std::int64_t{1} << random_.below(bits)}, latest_instant);
  }

  void purge(std::uint64_t budget) { compare(model_.purge(now_, {budget}), engine_.purge(now_, {budget})); }

  void index(const std::string& name, std::uint64_t budget) {
    compare(model_.index(now_, name, {budget}), engine_.index(now_, name, {budget}));
  }

  /// All live documents, page by page, each once (I5).
  void check_pages(const std::string& name, const std::optional<std::string>& partition) {
    std::map<ReferenceStore::Identity, Instant> expected;
    for (const auto& [identity, document] : model_.collections().at(name).documents)
      if (!document.expired && (!partition || identity.first == *partition)) expected[identity] = document.ts;
    for (std::optional<engine::SlotId> from = 0; from;) {
      std::uint64_t room = 1 + random_.below(400);
      from = engine_.walk(now_, name, engine::Sight::live, partition, *from, [&](const auto& document, bool) {
        const auto found = expected.find({document.partition, document.id});
        REQUIRE(found != expected.end());
        REQUIRE(found->second == document.ts);
        expected.erase(found);
        return --room > 0;
      });
    }
    CHECK(expected.empty());
  }

  Random random_;
  Instant now_;
  ReferenceStore model_;
  Engine engine_;
};

}  // namespace

TEST_CASE(
    "engine and reference agree with thousands of documents, through clock jumps, partial purges, redefinitions and "
    "copies") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    Pair pair(seed);
    Pair copy = pair;
    for (std::uint64_t phase = 0; phase < 24; ++phase) {
      CAPTURE(phase);
      pair.play_phase();
      if (phase % 6 == 0) {
        copy = pair;
        copy.draw_from(100 * seed + phase);
      }
      if (phase % 3 == 0) copy.play_phase();
      if (phase == 18) pair.jump_to_the_end();
    }
    pair.check_end();
    copy.check_end();
  }
}

}  // namespace mayfly::test
