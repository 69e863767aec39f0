// What does it cost to know which documents are expired? The index against common expiry structures, relative to what
// any write costs.

#include "expiry/agreement.hpp"
#include "expiry/episodes.hpp"
#include "expiry/floor.hpp"
#include "expiry/session_store.hpp"
#include "expiry/steady.hpp"
#include "expiry/structures.hpp"
#include "questions.hpp"

namespace mayfly::bench {

namespace {

constexpr Workload refresh_inheriting{
    "refresh/inherit", "Sessions kept alive: all inherit a default of a day and are written every ten minutes.",
    "a write"};
constexpr Workload refresh_eight{"refresh/eight",
                                 "Eight kinds of document, each with its own ttl from a minute to a week.", "a write"};
constexpr Workload refresh_uniform{
    "refresh/uniform", "Every write sets a ttl of up to a day: deadlines move forward and back.", "a write"};
constexpr Workload refresh_log_uniform{
    "refresh/log-uniform",
    "Every write sets a ttl of any magnitude, up to 68 years: a quarter expire before the next write.", "a write"};
constexpr Workload recreate{"recreate", "Sign out and in again: a document is deleted and created with a new ttl.",
                            "a pair"};
constexpr Workload wake{"next", "An event loop that asks for its next wake-up time after every write.", "a write"};
constexpr Workload day{
    "session-day", "A day of a session store: sign-ins, requests, sign-outs, expiries, and two changes of the default.",
    "an action"};
constexpr Workload fill{"fill", "A bulk load: all documents are created within a minute, each with its own ttl.",
                        "a document"};
constexpr Workload drain{"drain", "The purger alone: all documents expire within an hour, and it runs every second.",
                         "an expired document"};
constexpr Workload jump_day{"jump/day", "A purger that was down for a day and catches up in one call.",
                            "an expired document"};
constexpr Workload jump_year{"jump/year", "A test that sets the clock forward by a year.", "an expired document"};
constexpr Workload new_default{"default", "A new default for every document that inherits it, in force at once.",
                               "a change"};
constexpr Workload step_of_day{"longest-step/day",
                               "The longest pause of a purger with a budget of 1,000, while documents expire all day.",
                               "the longest step"};
constexpr Workload step_of_mass{"longest-step/mass", "The same when all documents expire in one second.",
                                "the longest step"};

template <Structure S>
constexpr Role role_of() {
  if (std::is_same_v<S, Floor>) return Role::floor;
  if (std::is_same_v<S, Touch>) return Role::touch;
  return std::is_same_v<S, MayflyIndex> ? Role::ours : Role::peer;
}

template <class F>
void for_each_baseline(F f) {
  f.template operator()<Floor>();
  f.template operator()<Touch>();
}

/// Adds the benchmarks of one size, workload by workload.
class Size {
 public:
  Size(Benchmarks& benchmarks, std::size_t documents) : benchmarks_(benchmarks), documents_(documents) {}

  void add_all() {
    add_steady(refresh_inheriting, Ttls::inherit, refresh);
    add_steady(refresh_eight, Ttls::eight, refresh);
    add_steady(refresh_uniform, Ttls::uniform, refresh);
    add_steady(refresh_log_uniform, Ttls::log_uniform, refresh);
    add_steady(recreate, Ttls::uniform, delete_and_recreate);
    add_steady(wake, Ttls::uniform, write_and_ask);
    for_each_baseline([&]<Structure S>() { add_one<S, SessionStore<S>>(day, Iterations{24}); });
    for_each_structure([&]<Structure S>() { add_one<S, SessionStore<S>>(day, Iterations{24}); });
    for_each_baseline(
        [&]<Structure S>() { add_one<S, Episode<S, decltype(fill_in_a_minute)>>(fill, episodes(), fill_in_a_minute); });
    add_episode(fill, episodes(), fill_in_a_minute);
    add_purge(drain, drain_in_an_hour);
    add_purge(jump_day, jump_by(Seconds{86'400}));
    add_purge(jump_year, jump_by(Seconds{31'536'000}));
    add_episode(new_default, Iterations{1}, change_default);
    if (documents_ < 1'000'000) return;  // a pause is short where there are few
    add_episode(step_of_day, Iterations{1}, longest_step_of_a_day);
    add_episode(step_of_mass, Iterations{1}, longest_step_of_a_mass_expiry);
  }

 private:
  /// Enough for a million documents, from 1 to 20.
  Iterations episodes() const { return {std::clamp<std::size_t>(1'000'000 / documents_, 1, 20)}; }

  template <class S, class R, class... Arguments>
  void add_one(const Workload& workload, Iterations iterations, Arguments... arguments) {
    benchmarks_.push_back({workload, {S::name, role_of<S>()}, documents_, iterations, [=, n = documents_] {
                             return std::make_unique<R>(n, arguments...);
                           }});
  }

  template <class Play>
  void add_episode(const Workload& workload, Iterations iterations, Play play) {
    for_each_structure([&]<Structure S>() { add_one<S, Episode<S, Play>>(workload, iterations, play); });
  }

  void add_purge(const Workload& workload, auto play) {
    for_each_baseline(
        [&]<Structure S>() { add_one<S, PurgeAll<S>>(workload, Iterations{5 * episodes().count}); });  // each is short
    add_episode(workload, episodes(), play);
  }

  template <class Action>
  void add_steady(const Workload& workload, Ttls ttls, Action action) {
    for_each_baseline(
        [&]<Structure S>() { add_one<S, Steady<S, decltype(refresh)>>(workload, Iterations{}, ttls, refresh); });
    for_each_structure([&]<Structure S>() { add_one<S, Steady<S, Action>>(workload, Iterations{}, ttls, action); });
  }

  Benchmarks& benchmarks_;
  std::size_t documents_;
};

}  // namespace

void add_expiry(Benchmarks& benchmarks, Scale scale) {
  const std::size_t largest = scale == Scale::quick ? 10'000 : scale == Scale::full ? 1'000'000 : 10'000'000;
  for (std::size_t documents = 1'000; documents <= largest; documents *= 10) Size(benchmarks, documents).add_all();
}

std::optional<std::string> expiry_disagreement() {
  std::optional<std::string> first;
  for_each_structure([&]<Structure S>() {
    for (std::uint64_t seed = 0; seed < 3 && !first; ++seed) first = disagreement<S>(seed, 5'000);
  });
  return first;
}

}  // namespace mayfly::bench
