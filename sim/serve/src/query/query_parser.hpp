#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>

#include "query_expression.hpp"

namespace mayfly::serve {

struct Column {
  std::string name;
  ExpressionPtr expression;
};

/// A query taken apart.
struct QueryPlan {
  enum class World { whole_items, values, objects };
  World world = World::whole_items;
  std::vector<Column> columns;  ///< one for values, none for whole items
  bool counts = false;          ///< the one column is not shown, but counted where it is defined

  ExpressionPtr condition;  ///< or nullptr
  ExpressionPtr order;      ///< or nullptr
  bool is_descending = false;
  std::uint64_t offset = 0;
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
};

/// Throws QueryError.
QueryPlan parse_query(std::string_view sql, const boost::json::array& parameters);

}  // namespace mayfly::serve
