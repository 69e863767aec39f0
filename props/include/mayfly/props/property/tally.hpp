#pragma once

#include <array>
#include <cstdint>

#include "mayfly/model/rule.hpp"
#include "mayfly/sim/operation.hpp"

namespace mayfly {

/// What a run has exercised: operations by kind, their answers, and how often each rule was decisive. Plain numbers, so
/// that processes can count in memory that they share.
class Tally {
 public:
  static constexpr std::size_t kind_count = std::variant_size_v<Operation>;
  /// The statuses of C2, and last what stands for every other.
  static constexpr Status other_status{0};
  static constexpr std::array statuses{Status::ok,        Status::created,  Status::no_content, Status::bad_request,
                                       Status::not_found, Status::conflict, other_status};

  /// Counts rules that were exercised.
  void count(RuleSet exercised);

  /// Counts an operation: the rules that it exercised, and the answer.
  void count(RuleSet exercised, const Operation& operation, const Outcome& actual);

  void add_answers(std::size_t kind, Status status, std::uint64_t count);
  void add_decisive(Rule rule, std::uint64_t count) { decisive_[static_cast<std::size_t>(rule)] += count; }
  Tally& operator+=(const Tally& other);

  std::uint64_t operations() const;
  std::uint64_t operations(std::size_t kind) const;
  /// How often this kind of operation was answered with one of `statuses`, by its place there.
  std::uint64_t answers(std::size_t kind, std::size_t status) const { return answers_[kind][status]; }
  std::uint64_t decisive(Rule rule) const { return decisive_[static_cast<std::size_t>(rule)]; }

 private:
  std::array<std::array<std::uint64_t, statuses.size()>, kind_count> answers_{};
  std::array<std::uint64_t, rule_count> decisive_{};
};

}  // namespace mayfly
