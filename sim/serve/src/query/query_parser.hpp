#pragma once

#include <cstdint>
#include <limits>
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

struct OrderTerm {
  ExpressionPtr by;
  bool is_descending = false;
};

/// A value that is computed from many items.
struct Aggregate {
  enum class Kind { count, sum, min, max, avg };
  Kind kind;
  ExpressionPtr operand;
};

/// A parsed query.
struct QueryPlan {
  enum class Form { whole_items, values, objects };
  Form form = Form::whole_items;
  std::vector<Column> columns;  ///< one for values, none for whole items
  bool is_distinct = false;
  bool has_source = false;            ///< otherwise its only row is of no item
  bool reads_items = false;           ///< otherwise no value depends on what an item has
  std::vector<Aggregate> aggregates;  ///< which the columns refer to

  ExpressionPtr condition;               ///< or nullptr
  std::vector<ExpressionPtr> group_by;   ///< properties
  std::vector<OrderTerm> order;
  std::uint64_t offset = 0;
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
};

/// Throws QueryError.
QueryPlan parse_query(std::string_view sql, const boost::json::array& parameters);

}  // namespace mayfly::serve
