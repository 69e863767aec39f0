#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mayfly {

/// The rules of model/RULES.md.
// clang-format off
enum class Rule : std::uint8_t {
  T1, T2, T3, T4, T5, T6,
  E1, E2, E3,
  X1, X2, X3, X4, X5,
  W1, W2, W3, W4, W5, W6,
  F1, F2, F3,
  P1, P2, P3, P4, P5,
  I1, I2, I3, I4, I5, I6,
  R1, R2,
  C1, C2, C3,
};
// clang-format on
inline constexpr std::size_t rule_count = static_cast<std::size_t>(Rule::C3) + 1;

enum class Level { stated, decided };

/// The letter of the level in RULES.md.
constexpr std::string_view letter_of(Level level) { return level == Level::stated ? "S" : "D"; }

struct RuleText {
  Rule rule;
  std::string_view id;
  Level level;
  std::string_view sentence;  ///< the first sentence of the rule in RULES.md
};

/// Every rule, in the order of the enumeration.
std::span<const RuleText, rule_count> all_rules();

inline std::string_view id_of(Rule rule) { return all_rules()[static_cast<std::size_t>(rule)].id; }

std::optional<Rule> rule_named(std::string_view id);

/// A set of rules, small enough to keep with every answer.
class RuleSet {
 public:
  constexpr RuleSet() = default;
  constexpr RuleSet(std::initializer_list<Rule> rules) {
    for (const Rule rule : rules) add(rule);
  }

  constexpr void add(Rule rule) { bits_ |= bit(rule); }
  constexpr void add_if(bool condition, Rule rule) { bits_ |= condition ? bit(rule) : 0; }
  constexpr bool contains(Rule rule) const { return (bits_ & bit(rule)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr std::uint64_t bits() const { return bits_; }
  constexpr RuleSet without(RuleSet other) const {
    RuleSet rest = *this;
    rest.bits_ &= ~other.bits_;
    return rest;
  }
  constexpr RuleSet& operator|=(RuleSet other) {
    bits_ |= other.bits_;
    return *this;
  }
  friend constexpr RuleSet operator&(RuleSet a, RuleSet b) {
    a.bits_ &= b.bits_;
    return a;
  }
  /// Every other rule.
  constexpr RuleSet operator~() const {
    RuleSet rest;
    rest.bits_ = ~bits_ & ((std::uint64_t{1} << rule_count) - 1);
    return rest;
  }
  bool operator==(const RuleSet&) const = default;

 private:
  static constexpr std::uint64_t bit(Rule rule) { return std::uint64_t{1} << static_cast<unsigned>(rule); }

  std::uint64_t bits_ = 0;
};

/// "X1 X2", or an empty string.
std::string ids_of(RuleSet rules);

}  // namespace mayfly
