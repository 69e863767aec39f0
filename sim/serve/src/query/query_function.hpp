#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "mayfly/model/time.hpp"
#include "query_value.hpp"

namespace mayfly::serve {

/// Beside its arguments, what the value of a function may depend on.
struct FunctionCallFrame {
  std::span<const QueryValue> arguments;  ///< as many as the function takes
  Instant now;
  WorkMeter& work;

  const QueryValue& operator[](std::size_t place) const { return arguments[place]; }
  std::size_t size() const { return arguments.size(); }
};

/// A function that queries may call.
struct QueryFunction {
  std::string_view name;
  std::size_t least, most;  ///< numbers of arguments
  QueryValue (*result)(const FunctionCallFrame& call);
};

/// All functions. To add one is to add a row.
std::span<const QueryFunction> query_functions();

}  // namespace mayfly::serve
