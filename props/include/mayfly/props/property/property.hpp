#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "mayfly/model/rule.hpp"
#include "mayfly/sim/lockstep.hpp"

namespace mayfly {

/// How a case broke a property.
struct Violation {
  std::size_t step = 0;  ///< the operation of the case at which it showed, or after which the store was observed
  Operation operation;   ///< what was asked when it showed: that operation, or the observation
  Exchange exchange;
  std::string crash;  ///< how the store crashed, if it did; then there is no exchange. Its last output follows
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
  /// Each of its steps costs as much as there are documents: a crowd of them takes too long.
  bool is_for_few = false;
};

/// Something that every case must satisfy on every store. Written once; tests, `mayfly check` and reports run it.
struct Property {
  std::string_view name;  ///< a sentence
  RuleSet rules;          ///< the rules that it holds a store to
  std::variant<Agreement, Law> kind;

  bool is_agreement() const { return std::holds_alternative<Agreement>(kind); }
  const Law* law() const { return std::get_if<Law>(&kind); }
  /// What agreement observes; nothing for a law.
  Watch watch() const { return law() ? Watch::nothing : std::get<Agreement>(kind).watch; }
  Feature needs() const { return law() ? law()->needs : nullptr; }
};

}  // namespace mayfly
