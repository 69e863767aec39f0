#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "mayfly/props/property.hpp"

// What a check of a case says about which rule.

namespace mayfly::conformance {

inline constexpr auto every_rule = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array{static_cast<Rule>(I)...};
}
(std::make_index_sequence<rule_count>{});

using RuleCounts = std::array<std::uint64_t, rule_count>;

inline std::uint64_t& at(RuleCounts& counts, Rule rule) { return counts[static_cast<std::size_t>(rule)]; }
inline std::uint64_t at(const RuleCounts& counts, Rule rule) { return counts[static_cast<std::size_t>(rule)]; }

/// What a store shows of itself, as far as it matters to which rules can be checked.
struct Visible {
  explicit Visible(const Subject& subject) : features(subject.features()), tells_held(subject.held().has_value()) {}

  Features features;
  bool tells_held;
};

bool is_agreement(const Property& property);

/// The rules of which only laws can tell whether a store keeps them.
inline constexpr RuleSet only_laws_tell{Rule::P1, Rule::P5, Rule::R1, Rule::R2};

/// What the store lacks for the rule to mean anything, as "it has no purge"; nothing if it lacks nothing.
std::string lacking(Rule rule, const Visible& visible);

/// How often each rule is decisive in what the property compares, if it holds for so many operations of the case. A law
/// compares the whole case, and counts once.
RuleCounts checks_in(const Property& property, const Case& test_case, std::size_t operations, const Visible& visible);

}  // namespace mayfly::conformance
