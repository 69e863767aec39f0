// The comparison before timing must notice a structure that is wrong, and name the place.

#include <cstdio>
#include <string>

#include "../expiry/agreement.hpp"
#include "../expiry/std_set.hpp"
#include "../expiry/structures.hpp"

namespace {

using namespace mayfly;
using namespace mayfly::bench;

struct Late : StdSet {
  using StdSet::StdSet;
  static constexpr std::string_view name = "a second late";
  template <class F>
  bool expire(Instant now, Budget budget, F f) {
    return StdSet::expire(now - Seconds{1}, budget, f);
  }
};

struct Deaf : StdSet {
  using StdSet::StdSet;
  static constexpr std::string_view name = "deaf to a new default";
  void set_default(Instant, Seconds) {}
};

struct Sleepy : StdSet {
  using StdSet::StdSet;
  static constexpr std::string_view name = "sleeps through the next expiry";
  Instant next() const { return StdSet::next() == never ? never : StdSet::next() + Seconds{1}; }
};

template <Structure S>
bool is_caught() {
  const auto difference = disagreement<S>(1, 10'000);
  const bool is_named = difference && difference->starts_with(std::string(S::name) + " at second ");
  if (!is_named) fmt::print(stderr, "not caught: {}\n", S::name);
  return is_named;
}

bool all_agree() {
  bool agree = true;
  for_each_structure([&]<Structure S>() {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      if (const auto difference = disagreement<S>(seed, 10'000)) {
        fmt::print(stderr, "{}\n", *difference);
        agree = false;
      }
    }
  });
  return agree;
}

}  // namespace

int main() { return is_caught<Late>() && is_caught<Deaf>() && is_caught<Sleepy>() && all_agree() ? 0 : 1; }
