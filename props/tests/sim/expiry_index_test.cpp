#include "mayfly/sim/engine/expiry_index.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "lines.hpp"
#include "mayfly/sim/random.hpp"

namespace mayfly::test {

namespace {

using namespace engine;

struct Counted : Lines {
  Filable filable(SlotId slot) const {
    ++looks;
    return Lines::filable(slot);
  }
  mutable std::uint64_t looks = 0;
};

/// The index beside two sorted multimaps, which hold every document at its second.
class Compared {
 public:
  Compared(std::uint64_t seed, std::size_t documents, Seconds longest_ttl, Seconds longest_step)
      : random_(seed), most_documents_(documents), longest_ttl_(longest_ttl), longest_step_(longest_step) {
    documents_.lines.resize(1 + documents / 10);
  }

  void step() {
    if (documents_.lines.size() < most_documents_ && random_.one_in(3)) documents_.lines.emplace_back();
    const auto dice = random_.below(100);
    if (dice < 70) {
      write();
    } else if (dice < 80) {
      erase();
    } else if (dice < 90) {
      now_ += Seconds{static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(longest_step_.count())))};
    } else if (dice < 99) {
      purge({random_.below(20)});
    } else {
      default_ = Seconds{static_cast<std::int64_t>(1 + random_.below(100))};
    }
  }

  /// With budget enough nothing is left that is due, and nothing comes before the second that it names (P5).
  void purge_all() {
    purge({std::numeric_limits<std::uint64_t>::max()});
    CHECK(due(by_deadline_, now_).empty());
    CHECK(due(by_ts_, watermark()).empty());
    if (!by_deadline_.empty()) CHECK(index_.earliest(Filing::by_deadline) <= by_deadline_.begin()->first);
    if (!by_ts_.empty()) CHECK(index_.earliest(Filing::by_ts) <= by_ts_.begin()->first);
  }

  void check_invariants() const { index_.check_invariants(documents_); }

  void copy() {
    ExpiryIndex copied = index_;
    ExpiryIndex moved = std::move(copied);
    copied = moved;
    index_ = std::move(copied);
  }

  std::uint64_t purged() const { return purged_; }
  std::size_t bytes() const { return index_.bytes(); }

 private:
  using Sorted = std::multimap<Instant, SlotId>;

  Instant watermark() {
    watermark_ = std::max(watermark_, now_ - default_);
    return watermark_;
  }

  static std::set<SlotId> due(const Sorted& sorted, Instant until) {
    std::set<SlotId> slots;
    for (auto i = sorted.begin(); i != sorted.upper_bound(until); ++i) slots.insert(i->second);
    return slots;
  }

  void forget(SlotId slot) {
    const Filable filable = documents_.filable(slot);
    if (filable.by == Filing::nowhere) return;
    auto& sorted = filable.by == Filing::by_ts ? by_ts_ : by_deadline_;
    const auto [begin, end] = sorted.equal_range(filable.second);
    sorted.erase(std::find_if(begin, end, [&](const auto& entry) { return entry.second == slot; }));
  }

  void write() {
    const auto slot = static_cast<SlotId>(random_.below(documents_.lines.size()));
    forget(slot);
    auto& line = documents_.lines[slot];
    line.ts = now_;
    line.stored = true;
    line.ttl = random_.below(3) == 0
                   ? static_cast<std::int32_t>(random_.below(2)) - 1
                   : static_cast<std::int32_t>(1 + random_.below(static_cast<std::uint64_t>(longest_ttl_.count())));
    index_.written(now_, documents_, slot);
    const Filable filable = documents_.filable(slot);
    if (filable.by != Filing::nowhere)
      (filable.by == Filing::by_ts ? by_ts_ : by_deadline_).emplace(filable.second, slot);
  }

  void erase() {
    const auto slot = static_cast<SlotId>(random_.below(documents_.lines.size()));
    forget(slot);
    documents_.lines[slot].stored = false;
  }

  void purge(Budget budget) {
    const Instant until = watermark();
    std::uint64_t seen = 0;
    const std::uint64_t purged = index_.purge(documents_, {.ts = until, .deadline = now_}, budget, [&](SlotId slot) {
      const Filable filable = documents_.filable(slot);
      REQUIRE(filable.by != Filing::nowhere);
      REQUIRE(filable.second <= (filable.by == Filing::by_ts ? until : now_));  // P4
      forget(slot);
      documents_.lines[slot].stored = false;
      ++seen;
    });
    CHECK(purged == seen);
    CHECK(purged <= budget.units);
    purged_ += purged;
  }

  Random random_;
  std::size_t most_documents_;
  Seconds longest_ttl_;
  Seconds longest_step_;
  Instant now_{Seconds{1'700'000'000}};
  Instant watermark_{};
  Seconds default_{50};
  Lines documents_;
  ExpiryIndex index_;
  Sorted by_ts_;
  Sorted by_deadline_;
  std::uint64_t purged_ = 0;
};

}  // namespace

TEST_CASE("P4, P5: the expiry index hands out what two sorted multimaps hold, whatever was written before") {
  std::uint64_t seed = 0;
  std::uint64_t purged = 0;
  for (const std::size_t documents : {3U, 100U, 3000U})
    for (const std::int64_t longest_ttl : {5, 5'000, 2'147'483'647})
      for (const std::int64_t longest_step : {3, 100, 1'000'000'000}) {
        CAPTURE(documents);
        CAPTURE(longest_ttl);
        CAPTURE(longest_step);
        Compared compared(++seed, documents, Seconds{longest_ttl}, Seconds{longest_step});
        const int steps = documents < 1000 ? 8'000 : 80'000;
        for (int i = 0; i < steps; ++i) {
          compared.step();
          if (documents < 1000 || i % 500 == 0) compared.check_invariants();
          if (i % 1'000 == 500) compared.copy();
          if (i % 700 == 0) compared.purge_all();
        }
        compared.purge_all();
        compared.check_invariants();
        purged += compared.purged();
      }
  CHECK(purged > 50'000);
}

TEST_CASE("a few documents are handed out in the order of kinds, seconds and slots, whatever was written before") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const auto seconds = [&](std::uint64_t most) { return static_cast<std::int64_t>(random.below(most)); };
    const std::uint64_t longest = random.one_in(2) ? 8U : 3U << random.below(12);
    Lines documents;
    documents.lines.resize(1 + random.below(4));
    ExpiryIndex index;
    Instant now{Seconds{1'699'999'990}}, watermark{};
    for (int i = 0; i < 1'000; ++i) {
      now += Seconds{random.one_in(2) ? 0 : seconds(longest)};
      const auto slot = static_cast<SlotId>(random.below(documents.slot_end()));
      Line& line = documents.lines[slot];
      line.stored = !random.one_in(4);
      line.ts = now;
      line.ttl = static_cast<std::int32_t>(seconds(longest)) - 1;
      index.written(now, documents, slot);
      REQUIRE(index.is_in_order());
      if (random.one_in(2)) continue;
      watermark = std::max(watermark, now - Seconds{1 + seconds(longest)});
      std::vector<std::tuple<bool, Instant, SlotId>> expected, handed_out;
      const auto entry_at = [&](SlotId at) {
        const Filable filable = documents.filable(at);
        return std::tuple(filable.by == Filing::by_ts, filable.second, at);
      };
      for (SlotId at = 0; at < documents.slot_end(); ++at) {
        const Filable filable = documents.filable(at);
        if (filable.by == Filing::nowhere) continue;
        if (filable.second <= (filable.by == Filing::by_ts ? watermark : now)) expected.push_back(entry_at(at));
      }
      std::sort(expected.begin(), expected.end());
      const std::uint64_t budget = random.below(4);
      expected.resize(std::min<std::size_t>(expected.size(), budget));
      const ExpiryIndex::Due due{.ts = watermark, .deadline = now};
      while (handed_out.size() < budget && index.has_due(due))
        index.purge(documents, due, {budget - handed_out.size()}, [&](SlotId at) {
          handed_out.push_back(entry_at(at));
          documents.lines[at].stored = false;
        });
      REQUIRE(handed_out == expected);
    }
  }
}

TEST_CASE("writes that only bring deadlines forward leave a bounded number of entries behind") {
  Lines documents;
  documents.lines.resize(5'000);
  ExpiryIndex index;
  const Instant now{Seconds{1'700'000'000}};
  for (std::int32_t ttl = 100'000'000; ttl > 1; ttl -= 1 + ttl / 20)
    for (SlotId slot = 0; slot < documents.slot_end(); ++slot) {
      documents.lines[slot] = {now, ttl, true, documents.lines[slot].filed};
      index.written(now, documents, slot);
    }
  index.check_invariants(documents);
  CHECK(index.bytes() < documents.slot_end() * 25 + 200'000);
}

TEST_CASE("a purge with a small budget ends soon, also where nothing is due that it meets") {
  Lines documents;
  documents.lines.resize(100'000);
  ExpiryIndex index;
  Instant now{Seconds{1'700'000'000}};
  const auto write_all = [&] {
    for (SlotId slot = 0; slot < documents.slot_end(); ++slot) {
      documents.lines[slot] = {now, 100, true, documents.lines[slot].filed};
      index.written(now, documents, slot);
    }
  };
  write_all();
  now += Seconds{99};
  write_all();
  now += Seconds{99};  // every entry is due, and no document
  Counted counted{documents};
  const auto expire = [](SlotId) { FAIL("nothing is expired"); };
  index.purge(counted, {.ts = now, .deadline = now}, {10}, expire);
  CHECK(counted.looks > 0);
  CHECK(counted.looks < 1'000);
}

namespace {

/// Counts the entries at which the index looks: each look reads what the slot remembers.
struct Looked : Lines {
  Filed& filed(SlotId slot) {
    ++looks;
    return Lines::filed(slot);
  }
  const Filed& filed(SlotId slot) const { return Lines::filed(slot); }
  std::uint64_t looks = 0;
};

}  // namespace

TEST_CASE("a purge with a budget of 1,000 looks at 17,000 entries at most, whatever expires at once") {
  constexpr std::uint64_t most = 17'000;
  for (const bool expires : {true, false})
    for (const std::int32_t longest : {1, 3'600, 100'000'000}) {
      CAPTURE(expires);
      CAPTURE(longest);
      Looked documents;
      documents.lines.resize(60'000);
      ExpiryIndex index;
      Random random(1);
      Instant now{Seconds{1'700'000'000}};
      const auto write_all = [&] {
        for (SlotId slot = 0; slot < documents.slot_end(); ++slot) {
          const auto ttl = static_cast<std::int32_t>(1 + random.below(static_cast<std::uint64_t>(longest)));
          documents.lines[slot] = {now, slot % 2 == 0 ? 0 : ttl, true, documents.lines[slot].filed};
          index.written(now, documents, slot);
        }
      };
      write_all();
      write_all();  // half of the entries are stale
      now += Seconds{longest};
      if (!expires) write_all();
      const ExpiryIndex::Due due{.ts = now - Seconds{1}, .deadline = now};
      std::uint64_t longest_step = 0, purged = 0;
      while (index.has_due(due)) {
        documents.looks = 0;
        purged += index.purge(documents, due, {1'000}, [&](SlotId slot) { documents.lines[slot].stored = false; });
        longest_step = std::max(longest_step, documents.looks);
      }
      CHECK(purged == (expires ? documents.slot_end() : 0));
      CHECK(longest_step > 1'000);
      CHECK(longest_step <= most);
    }
}

TEST_CASE("how far the clock jumps costs a purge nothing, whatever it meets on the way") {
  for (const std::size_t slots : {5U, 3'000U})
    for (const std::int32_t ttl : {0, 100, 2'147'483'647})
      for (const std::uint64_t budget : {std::uint64_t{10}, std::numeric_limits<std::uint64_t>::max()}) {
        CAPTURE(slots);
        CAPTURE(ttl);
        CAPTURE(budget);
        Counted documents;
        documents.lines.resize(slots);
        ExpiryIndex index;
        Instant now{Seconds{1'700'000'000}};
        const auto write_all = [&] {
          for (SlotId slot = 0; slot < documents.slot_end(); ++slot) {
            documents.lines[slot] = {now, ttl, true, documents.lines[slot].filed};
            index.written(now, documents, slot);
          }
        };
        write_all();
        now = latest_instant;
        write_all();  // every entry is due, and no document
        documents.looks = 0;
        const auto expire = [](SlotId) { FAIL("nothing is expired"); };
        const auto is_done = [&] {
          return index.earliest(Filing::by_ts) >= now && index.earliest(Filing::by_deadline) > now;
        };
        for (int calls = 0; calls < 1'000 && !is_done(); ++calls) {
          index.purge(documents, {.ts = now - Seconds{1}, .deadline = now}, {budget}, expire);
          const std::uint64_t looks = documents.looks;
          index.check_invariants(documents);
          documents.looks = looks;
          const ExpiryIndex copy = index;
          index = copy;
        }
        CHECK(is_done());
        CHECK(documents.looks >= slots);
        CHECK(documents.looks < 8 * slots);
      }
}

}  // namespace mayfly::test
