#include "query_function.hpp"

#include <array>

namespace mayfly::serve {

namespace {

using Arguments = std::span<const QueryValue>;

constexpr std::array<QueryFunction, 1> functions{{
    {"IS_DEFINED", 1, [](Arguments arguments) { return truth(arguments[0] != nullptr); }},
}};

}  // namespace

std::span<const QueryFunction> query_functions() { return functions; }

}  // namespace mayfly::serve
