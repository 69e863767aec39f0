#pragma once

#include "mayfly/model/outcome.hpp"

namespace mayfly::defects {

// They know nothing of ttl (R2) and of purging (R1).
inline constexpr Charge nothing{0}, small_price{1}, write_price{5}, query_price{3};

// What some stores answer in place of a 400.
inline constexpr Status unprocessable{422}, internal_error{500};

inline Outcome only(Status status, Charge charge = small_price) { return {.status = status, .charge = charge}; }

}  // namespace mayfly::defects
