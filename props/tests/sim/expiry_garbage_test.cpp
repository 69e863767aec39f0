#include <array>

#include <doctest/doctest.h>

#include "lines.hpp"
#include "mayfly/sim/engine/expiry_index.hpp"
#include "mayfly/sim/random.hpp"

// Writes that leave as many stale entries in the expiry index as they can. Whatever they are, it stays within its
// bound.

namespace mayfly::test {

namespace {

using namespace engine;

constexpr std::int32_t inherits = 0;
constexpr std::int32_t near = 60;
constexpr std::int32_t nearer = 50;
constexpr std::int32_t far = 3'600;

class FiledLines {
 public:
  explicit FiledLines(std::size_t slots) { documents_.lines.resize(slots); }

  void write(SlotId slot, std::int32_t ttl) {
    documents_.lines[slot] = {now, ttl, true, documents_.lines[slot].filed};
    index_.written(now, documents_, slot);
  }

  void erase(SlotId slot) { documents_.lines[slot].stored = false; }

  void purge(std::uint64_t budget) {
    index_.purge(documents_, {.ts = now - Seconds{1'000'000}, .deadline = now}, {budget},
                 [&](SlotId slot) { documents_.lines[slot].stored = false; });
  }

  /// Writes all documents of one group, then all of the next, each with every ttl in turn.
  void write_in_groups(std::size_t group, std::initializer_list<std::int32_t> ttls) {
    for (SlotId first = 0; first < slots(); first += static_cast<SlotId>(group))
      for (const std::int32_t ttl : ttls)
        for (SlotId slot = first; slot < slots() && slot < first + group; ++slot) write(slot, ttl);
  }

  /// What is written waits no longer.
  void file_all() { index_.file_waiting(documents_); }

  void copy() {
    const ExpiryIndex copied = index_;
    index_ = ExpiryIndex();
    index_ = copied;
  }

  void check_bounds() const {
    index_.check_invariants(documents_);
    std::size_t entries = 0;
    for (const Filing by : {Filing::by_ts, Filing::by_deadline}) index_.wheel(by).for_each([&](Entry) { ++entries; });
    CHECK(entries <= 2 * documents_.slot_end());
    CHECK(index_.bytes() < 32 * documents_.slot_end() + 500'000);
  }

  SlotId slots() const { return static_cast<SlotId>(documents_.slot_end()); }

  Instant now{Seconds{1'700'000'000}};
  Random random{1};

 private:
  Lines documents_;
  ExpiryIndex index_;
};

struct Pattern {
  const char* name;
  void (*play)(FiledLines&, int round);
};

constexpr std::array patterns{
    Pattern{"a ttl is lost and got by turns",
            [](FiledLines& s, int) {
              s.write_in_groups(64, {inherits, far});
            }},
    Pattern{"the same, in groups of all documents",
            [](FiledLines& s, int) {
              s.write_in_groups(s.slots(), {inherits, far});
            }},
    Pattern{"the same, one document at a time",
            [](FiledLines& s, int) {
              for (SlotId slot = 0; slot < s.slots(); ++slot) {
                s.write(slot, inherits);
                s.file_all();
                s.write(slot, far);
                s.file_all();
              }
            }},
    Pattern{"the same, always the same few documents",
            [](FiledLines& s, int) {
              for (int i = 0; i < 2'000; ++i) {
                s.write(static_cast<SlotId>(i % 3), i % 2 == 0 ? inherits : far);
                s.file_all();
              }
            }},
    Pattern{"far, near, nearer, inheriting",
            [](FiledLines& s, int) {
              s.write_in_groups(64, {far, near, nearer, inherits});
            }},
    Pattern{"far, near, near, far, while the clock goes on and on",
            [](FiledLines& s, int round) {
              s.write_in_groups(64, {round % 4 == 1 || round % 4 == 2 ? near : far});
              s.now += Seconds{round % 4 == 3 ? 61 : 1};
              s.purge(100'000);
            }},
    Pattern{"ever nearer, then far again",
            [](FiledLines& s, int round) {
              s.write_in_groups(64, {far - round % 50 * 70, round % 50 == 49 ? inherits : 9});
            }},
    Pattern{"deleted and created, of another kind each time",
            [](FiledLines& s, int round) {
              for (SlotId slot = 0; slot < s.slots(); ++slot) {
                s.erase(slot);
                s.write(slot, (round + static_cast<int>(slot / 64)) % 2 == 0 ? inherits : far);
              }
            }},
    Pattern{"in all buckets at once",
            [](FiledLines& s, int) {
              for (const bool is_own : {true, false})
                for (SlotId slot = 0; slot < s.slots(); ++slot) {
                  const unsigned level = slot % 4;
                  const auto own = static_cast<std::int32_t>((1 + slot / 4 % 60) << (6 * level));
                  s.write(slot, is_own ? own : inherits);
                }
            }},
    Pattern{"in one wheel, then only in the other",
            [](FiledLines& s, int round) {
              if (round < 100)
                s.write_in_groups(64, {inherits, far});
              else
                s.write_in_groups(64, {2 * far - round % 3, far - round % 7});
            }},
    Pattern{"while purges are cut short",
            [](FiledLines& s, int round) {
              s.write_in_groups(64, {inherits, far, near});
              if (round % 8 == 0) s.now += Seconds{far / 2};
              s.purge(1);
            }},
    Pattern{"after jumps of every magnitude",
            [](FiledLines& s, int round) {
              s.write_in_groups(64, {inherits, far, inherits});
              if (round % 10 != 0 || round > 150) return;
              s.now += Seconds{std::int64_t{1} << (round / 5)};
              s.purge(round % 20 == 0 ? 3 : 1'000'000);
            }},
    Pattern{"on a copy of a copy",
            [](FiledLines& s, int) {
              for (SlotId first = 0; first < s.slots(); first += 256) {
                for (const std::int32_t ttl : {inherits, far})
                  for (SlotId slot = first; slot < s.slots() && slot < first + 256; ++slot) s.write(slot, ttl);
                s.copy();
              }
            }},
    Pattern{"at random",
            [](FiledLines& s, int round) {
              constexpr std::array<std::int32_t, 6> ttls{inherits, -1, nearer, near, far, 2'147'483'647};
              for (SlotId i = 0; i < s.slots(); ++i) {
                const auto slot = static_cast<SlotId>(s.random.below(s.slots()));
                if (s.random.one_in(10)) s.erase(slot);
                s.write(slot, s.random.pick<std::int32_t>(ttls));
              }
              if (round % 16 == 0) s.now += Seconds{1};
            }},
};

}  // namespace

TEST_CASE("stale entries are bounded, whatever is written") {
  for (const Pattern& pattern : patterns)
    for (const std::size_t slots : {3U, 40U, 1'100U}) {
      INFO(pattern.name);
      CAPTURE(slots);
      FiledLines store(slots);
      for (int round = 0; round < 300; ++round) {
        CAPTURE(round);
        pattern.play(store, round);
        if (round % 10 == 9) store.check_bounds();
      }
    }
}

}  // namespace mayfly::test
