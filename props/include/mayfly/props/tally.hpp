#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "mayfly/props/decisive.hpp"
#include "mayfly/sim/lockstep.hpp"

namespace mayfly {

/// What a run has exercised: operations by kind, their answers, and how often each rule was decisive.
class Tally {
 public:
  static constexpr std::size_t kind_count = std::variant_size_v<Operation>;
  using Answers = std::map<Status, std::uint64_t>;

  /// Call before the operation, with the reference as it is then, and after it.
  void before(ReferenceStore& reference, Instant now, const Operation& operation);
  void after(const Operation& operation, const Outcome& actual) { ++answers_[operation.index()][actual.status]; }

  std::uint64_t operations() const;
  std::uint64_t operations(std::size_t kind) const;
  const Answers& answers(std::size_t kind) const { return answers_[kind]; }
  std::uint64_t decisive(Rule rule) const { return decisive_[static_cast<std::size_t>(rule)]; }

 private:
  std::array<Answers, kind_count> answers_;
  std::array<std::uint64_t, rule_count> decisive_{};
};

}  // namespace mayfly
