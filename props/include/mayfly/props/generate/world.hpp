#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

// What cases are like. A world is data: the generator has no other place where it tells one from another.

namespace mayfly {

/// What cases are like. The shares of the strategies follow what they yield on the planted defects, each searched from
/// 15 seeds; median operations to the catch, geometric mean of all / nine in ten of them at most:
///
///     boundary        0 %          30 %          55 %          80 %
///     swarm   0 %   188 / 1,139   196 /   992   196 /   889   196 /   967
///     swarm  50 %   203 / 1,373   195 / 1,204   194 /   947   205 /   901
///     swarm 100 %   220 / 1,346   201 / 1,049   210 / 1,246   228 / 1,207
///
/// So about half of the steps aim, and a quarter of the cases is swarm: it costs little, and reaches longer runs of one
/// kind of operation than these defects need.
struct World {
  enum class Plot { any_order, crowd, history };
  enum class Words { plain, twisted };         ///< twisted: what a careless store takes for another, cuts or reads
  enum class Times { near, every_magnitude };  ///< of ttls and clock steps

  std::string_view name = "small";
  Plot plot = Plot::any_order;
  std::size_t longest_case = 2'000;   ///< operations, at least one
  std::size_t usual_case = 100;       ///< operations, at least one: most cases have no more
  std::uint64_t one_is_long_in = 64;  ///< cases: of these, one has more than is usual, and mostly writes
  unsigned swarm = 25;                ///< percent of cases in which some kinds of operation are left out
  unsigned boundary = 55;  ///< percent of clock steps that aim at a deadline, and of defaults that put one here
  std::int64_t longest_step = std::numeric_limits<std::int64_t>::max();  ///< of the clock; most ttls are no longer
  std::size_t collections = 3;                                           ///< at most, as the next two
  std::size_t partitions = 2;                                            ///< of each collection
  std::size_t ids = 3;                                                   ///< of each partition
  Words names = Words::plain;
  Words values = Words::plain;
  Times times = Times::near;
  bool is_for_real_time = true;  ///< its cases are short enough to be waited for
  unsigned share = 100;          ///< percent of a campaign's time
  unsigned cost = 1;             ///< of a case, in microseconds: measured

  bool operator==(const World&) const = default;
};

// The cost is that of a case on the engine, with everything that `mayfly check` does with it: the seconds of a world in
// its report, divided by its cases.
inline constexpr std::array<World, 6> all_worlds{{
    {.name = "small", .share = 35, .cost = 100},
    {.name = "crowd",
     .plot = World::Plot::crowd,
     .longest_case = 6'000,
     .collections = 40,
     .partitions = 2'049,
     .ids = 2'049,
     .is_for_real_time = false,
     .share = 20,
     .cost = 4'600},
    {.name = "names",
     .collections = 4,
     .partitions = 4,
     .ids = 4,
     .names = World::Words::twisted,
     .share = 15,
     .cost = 250},
    {.name = "values", .usual_case = 60, .values = World::Words::twisted, .share = 10, .cost = 120},
    {.name = "long",
     .plot = World::Plot::history,
     .longest_case = 4'000,
     .usual_case = 500,
     .collections = 2,
     .partitions = 2,
     .ids = 1,
     .is_for_real_time = false,
     .share = 10,
     .cost = 2'100},
    {.name = "rollover", .times = World::Times::every_magnitude, .is_for_real_time = false, .share = 10, .cost = 100},
}};

/// Its place in the table. Requires that it has the name of one that is there.
std::size_t index_of(const World& world);

/// Nothing if there is none of that name.
const World* world_named(std::string_view name);

/// The worlds of a campaign. Which one a case is of is a function of seed and number, so that it does not matter how a
/// campaign is spread.
class Worlds {
 public:
  /// All of them, each for its share of the time.
  Worlds() : Worlds(std::vector<World>(all_worlds.begin(), all_worlds.end())) {}
  /// This one only.
  Worlds(const World& only) : Worlds(std::vector<World>{only}) {}  // NOLINT: one world is some worlds

  bool empty() const { return worlds_.empty(); }

  /// Requires that it is not empty.
  const World& of_case(std::uint64_t seed, std::uint64_t number) const;

  /// The same with cases of at most so many operations.
  Worlds up_to(std::size_t longest_case) const;
  /// Those that make sense where time is real, with cases and clock steps of at most this length.
  Worlds in_real_time(std::size_t longest_case, std::int64_t longest_step) const;

  bool operator==(const Worlds&) const = default;

 private:
  explicit Worlds(std::vector<World> worlds);

  std::vector<World> worlds_;
  std::vector<std::uint32_t> weights_;  ///< how often each is drawn
  std::uint64_t total_ = 0;
};

}  // namespace mayfly
