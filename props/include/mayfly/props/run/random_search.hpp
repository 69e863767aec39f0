#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mayfly/props/generate/generate.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/property/tally.hpp"

namespace mayfly {

/// The one way that random cases look for a violation. Half of the cases are watched, and every fourth case also has to
/// keep a law; which, is drawn with the case. The same seed has the same cases under the same numbers, but for what the
/// subject lacks.
class RandomSearch {
 public:
  /// Laws are tried on the subject, and half of the time on the one `beside` it, if any: a law needs no reference, so
  /// that it can judge the reference too.
  RandomSearch(std::uint64_t seed, Worlds worlds, Subject& subject, Subject* beside = nullptr)
      : seed_(seed),
        worlds_(std::move(worlds)),
        subject_(subject),
        features_(subject.features()),
        is_waited_for_(is_in_real_time(subject)),
        beside_(beside),
        failed_(&subject) {}

  /// Tries the case of this number; counts what it exercised, if asked to.
  std::optional<Failure> try_case(std::uint64_t number, Tally* tally = nullptr);

  /// A property that the case has to keep, and the subject that has to keep it.
  struct Task {
    const Property* property = nullptr;
    Subject* subject = nullptr;
  };
  /// The case of this number, the world that it is of, and what it has to keep.
  const World& world_of(std::uint64_t number) const { return worlds_.of_case(seed_, number); }
  Case case_of(std::uint64_t number) const;
  std::vector<Task> tasks_of(std::uint64_t number) const;

  /// The subject that failed last.
  Subject& failed() const { return *failed_; }

  std::uint64_t laws_tried() const { return laws_tried_; }

  /// Operations of the cases so far, up to the failure. What a law runs besides is not counted.
  std::uint64_t operations() const { return operations_; }

 private:
  std::uint64_t seed_;
  Worlds worlds_;
  Subject& subject_;
  Features features_;
  bool is_waited_for_;  ///< a law runs a case several times, which takes too long where time is real
  Subject* beside_;
  Subject* failed_;
  std::uint64_t operations_ = 0;
  std::uint64_t laws_tried_ = 0;
};

/// How a random search ended.
struct SearchResult {
  std::optional<Failure> failure;  ///< nothing if the subject survived
  std::uint64_t operations = 0;
};

/// Hunts for one violation, through at most so many operations.
SearchResult random_search(Subject& subject, std::uint64_t seed, std::uint64_t most_operations,
                           const Worlds& worlds = World{});

}  // namespace mayfly
