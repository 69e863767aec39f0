#pragma once

#include <span>
#include <string_view>

#include "query_value.hpp"

namespace mayfly::serve {

/// A function that queries may call.
struct QueryFunction {
  std::string_view name;
  std::size_t arity;
  QueryValue (*result)(std::span<const QueryValue> arguments);
};

std::span<const QueryFunction> query_functions();

}  // namespace mayfly::serve
