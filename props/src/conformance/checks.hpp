#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "mayfly/props/property/exercise.hpp"

// What a check of a case proves about each rule.

namespace mayfly::conformance {

inline constexpr auto every_rule = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array{static_cast<Rule>(I)...};
}
(std::make_index_sequence<rule_count>{});

using RuleCounts = std::array<std::uint64_t, rule_count>;

inline std::uint64_t& at(RuleCounts& counts, Rule rule) { return counts[static_cast<std::size_t>(rule)]; }
inline std::uint64_t at(const RuleCounts& counts, Rule rule) { return counts[static_cast<std::size_t>(rule)]; }

/// The rules whose violation only laws can show.
inline constexpr RuleSet only_laws_tell{Rule::P1, Rule::R1, Rule::R2};

/// How often each rule is exercised if the property holds for the first `operations` operations of the case. A law
/// compares the whole case, and counts once.
RuleCounts checks_in(const Property& property, const Case& test_case, std::size_t operations, const Features& features);

}  // namespace mayfly::conformance
