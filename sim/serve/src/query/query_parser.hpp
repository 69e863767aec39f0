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

/// A parsed query.
struct QueryPlan {
  enum class Form { whole_items, values, objects };
  Form form = Form::whole_items;
  std::vector<Column> columns;  ///< one for values, none for whole items
  bool counts = false;          ///< the only column is not shown: the items for which it is defined are counted

  ExpressionPtr condition;  ///< or nullptr
  ExpressionPtr order;      ///< or nullptr
  bool is_descending = false;
  std::uint64_t offset = 0;
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
};

/// Throws QueryError.
QueryPlan parse_query(std::string_view sql, const boost::json::array& parameters);

}  // namespace mayfly::serve
