#pragma once

#include <cstdint>
#include <optional>

#include "mayfly/props/generate.hpp"
#include "mayfly/props/minimise.hpp"
#include "mayfly/props/tally.hpp"

namespace mayfly {

/// The one way that random cases look for a violation: half of the cases are watched, and every fourth case also has to
/// keep a law, each in its turn. The same seed hunts through the same cases.
class Hunt {
 public:
  /// Laws are tried on the subject, and in turn on the one `beside` it, if any: a law needs no reference, so that it
  /// can judge the reference too.
  Hunt(std::uint64_t seed, const Shape& shape, Subject& subject, Subject* beside = nullptr)
      : seed_(seed), shape_(shape), subject_(subject), beside_(beside) {}

  /// Tries the next case; counts what it exercised, if asked to.
  void try_case(Tally* tally = nullptr);

  const std::optional<Failure>& failure() const { return failure_; }

  /// The subject that failed.
  Subject& failed() const { return *failed_; }

  std::uint64_t cases() const { return cases_; }
  std::uint64_t laws_tried() const { return laws_tried_; }

  /// Operations of the cases so far, up to the failure. What a law runs besides is not counted.
  std::uint64_t operations() const { return operations_; }

 private:
  void try_law(std::uint64_t turn, const Case& test_case);
  void fail(const Property& property, const Case& test_case, Violation violation, Subject& subject);

  std::uint64_t seed_;
  Shape shape_;
  Subject& subject_;
  Subject* beside_;
  std::uint64_t cases_ = 0;
  std::uint64_t operations_ = 0;
  std::uint64_t laws_tried_ = 0;
  std::optional<Failure> failure_;
  Subject* failed_ = &subject_;
};

/// How a hunt ended.
struct Hunted {
  std::optional<Failure> failure;  ///< nothing if the subject survived
  std::uint64_t operations = 0;
};

/// Hunts for one violation, through at most so many operations.
Hunted hunt(Subject& subject, std::uint64_t seed, std::uint64_t most_operations);

}  // namespace mayfly
