#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mayfly/props/generate/generate.hpp"
#include "mayfly/props/property/failure.hpp"
#include "mayfly/props/property/tally.hpp"

namespace mayfly {

/// Searches random cases for a violation. Half of the cases are observed after each operation, and every fourth case is
/// also checked for a law, which is drawn with the case. A seed has the same cases under the same numbers for every
/// subject, without the operations that the subject does not support.
class RandomSearch {
 public:
  /// If there is a reference subject, half of the laws are checked on it: a law needs no reference, so it can judge the
  /// reference too.
  RandomSearch(std::uint64_t seed, Worlds worlds, Subject& subject, Subject* reference_subject = nullptr)
      : seed_(seed),
        worlds_(std::move(worlds)),
        subject_(subject),
        features_(subject.features()),
        is_waited_for_(is_in_real_time(subject)),
        reference_subject_(reference_subject),
        failed_(&subject) {}

  /// Checks the case of this number. Counts in `tally`, unless it is null, what the case exercised.
  std::optional<Failure> check_case(std::uint64_t number, Tally* tally = nullptr);

  /// A property to check on the case, and the subject to check.
  struct Task {
    const Property* property = nullptr;
    Subject* subject = nullptr;
  };
  /// The world of the case of this number, the case, and its tasks.
  const World& world_of(std::uint64_t number) const { return worlds_.of_case(seed_, number); }
  Case case_of(std::uint64_t number) const;
  std::vector<Task> tasks_of(std::uint64_t number) const;

  /// The subject that failed last.
  Subject& failed() const { return *failed_; }

  std::uint64_t laws_checked() const { return laws_checked_; }

  /// Operations of the cases so far, up to the failure, without the further runs of laws.
  std::uint64_t operations() const { return operations_; }

 private:
  std::uint64_t seed_;
  Worlds worlds_;
  Subject& subject_;
  Features features_;
  bool is_waited_for_;  ///< in real time: then laws, which run a case several times, would take too long
  Subject* reference_subject_;
  Subject* failed_;
  std::uint64_t operations_ = 0;
  std::uint64_t laws_checked_ = 0;
};

/// How a random search ended.
struct SearchResult {
  std::optional<Failure> failure;  ///< nothing if the subject survived
  std::uint64_t operations = 0;
};

/// Searches for one violation, in at most this many operations.
SearchResult random_search(Subject& subject, std::uint64_t seed, std::uint64_t most_operations,
                           const Worlds& worlds = World{});

}  // namespace mayfly
