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
  std::size_t step = 0;  ///< the operation of the case at which it showed, or after which the observation showed it
  Operation operation;   ///< the request whose answer showed it: that operation, or a request of the observation
  Exchange exchange;
  std::string crash;  ///< how the store crashed, if it did, and its last output; then there is no exchange
};

/// What is observed after each operation of a case. Observing finds more, but its reads can mask a defect.
enum class Watch { nothing, everything };

/// The property that the store answers as the reference does.
struct Agreement {
  Watch watch = Watch::nothing;
};

/// A property that a store must satisfy independently of the reference.
struct Law {
  std::optional<Violation> (*check)(const Case&, Subject&) = nullptr;
  Feature needs = nullptr;  ///< the feature of the store without which the law does not apply
  /// The first step of the law: it derives a case that it then varies. The law exercises what that case exercises.
  /// Null: the case itself.
  Case (*base)(const Case&) = nullptr;
};

/// A statement that must hold for every case on every store. Written once; tests, `mayfly check` and reports run it.
struct Property {
  std::string_view name;  ///< a sentence
  RuleSet rules;          ///< the rules that it checks
  std::variant<Agreement, Law> kind;

  bool is_agreement() const { return std::holds_alternative<Agreement>(kind); }
  const Law* law() const { return std::get_if<Law>(&kind); }
  /// What agreement observes; `nothing` for a law.
  Watch watch() const { return law() ? Watch::nothing : std::get<Agreement>(kind).watch; }
  Feature needs() const { return law() ? law()->needs : nullptr; }
};

}  // namespace mayfly
