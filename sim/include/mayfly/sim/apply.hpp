#pragma once

#include <type_traits>
#include <variant>

#include "mayfly/model/store.hpp"
#include "mayfly/sim/clock.hpp"
#include "mayfly/sim/operation.hpp"

namespace mayfly {

/// Turns an operation into a call of the store or the clock. The only place where operations and stores meet; every
/// driver is a loop over it.
template <Store S>
auto apply(S& store, Clock& clock, const Operation& operation) {
  using Answer = decltype(store.read({}, {}));
  return std::visit(
      [&]<class Asked>(const Asked& o) -> Answer {
        if constexpr (std::is_same_v<Asked, Advance>)
          return Answer{clock.advance(o.seconds)};
        else
          return o.ask(store, clock.now());
      },
      operation);
}

}  // namespace mayfly
