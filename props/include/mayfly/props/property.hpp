#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "mayfly/model/rule.hpp"
#include "mayfly/props/decisive.hpp"
#include "mayfly/props/tally.hpp"
#include "mayfly/sim/lockstep.hpp"

namespace mayfly {

/// How a case broke a property.
struct Violation {
  std::size_t step = 0;  ///< the operation of the case at which it showed, or after which somebody looked
  Operation operation;   ///< what was asked when it showed: that operation, or the look
  Exchange exchange;
  std::string crash;  ///< how the store died of it, if it did; then there is no exchange. What it said last follows
};

/// What is observed of a store after each operation of a case. Observing finds more, but its reads can mask a defect.
enum class Watch { nothing, everything };

/// The store answers as the reference does.
struct Agreement {
  Watch watch = Watch::nothing;
};

/// What must hold of a store whatever the reference says.
struct Law {
  std::optional<Violation> (*check)(const Case&, Subject&) = nullptr;
  Feature needs = nullptr;  ///< what a store must have for it to mean anything
  /// The case that the law makes of one before it varies it: what that exercises, the law does. Null: the case itself.
  Case (*base)(const Case&) = nullptr;
};

/// Something that every case must satisfy on every store. Written once; tests, `mayfly check` and reports run it.
struct Property {
  std::string_view name;  ///< a sentence
  RuleSet rules;          ///< the rules that it holds a store to
  std::variant<Agreement, Law> kind;

  const Law* law() const { return std::get_if<Law>(&kind); }
  /// What agreement observes; nothing for a law.
  Watch watch() const { return law() ? Watch::nothing : std::get<Agreement>(kind).watch; }
  Feature needs() const { return law() ? law()->needs : nullptr; }
};

/// Runs the case on the reference and on the subject, and compares every answer; counts what it exercised, if asked to.
std::optional<Violation> check_agreement(const Case& test_case, Subject& subject, Watch watch, Tally* tally = nullptr);

/// Whether the store has what the property needs, and what the case asks for.
bool is_for(Subject& subject, const Property& property, const Case& test_case);

/// Checks a property; counts what it exercised, if asked to. A store in another process is asked the
/// whole case at once if it can be, and its failing to answer is a violation at the last operation. What is not for the
/// store holds.
std::optional<Violation> check(const Property& property, const Case& test_case, Subject& subject,
                               Tally* tally = nullptr);

/// Every property: agreement first, then the laws, which must hold of a store whatever the reference says.
std::span<const Property> all_properties();

inline const Property& agrees_unwatched() { return all_properties()[0]; }
inline const Property& agrees_watched() { return all_properties()[1]; }
inline std::span<const Property> laws() { return all_properties().subspan(2); }
inline bool is_agreement(const Property& property) { return property.law() == nullptr; }

}  // namespace mayfly
