#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <boost/json/value.hpp>

#include "query_function.hpp"
#include "query_value.hpp"

// Expressions of queries, and their values for an item.

namespace mayfly::serve {

struct Expression;
using ExpressionPtr = std::unique_ptr<const Expression>;

struct Literal {
  std::optional<boost::json::value> value;
};
struct Property {
  std::vector<std::variant<std::string, std::size_t>>
      steps;  ///< names, and indexes in lists; empty for the item itself
};
struct Comparison {
  QueryOperator by;
  ExpressionPtr left, right;
};
struct In {
  ExpressionPtr sought;
  std::vector<ExpressionPtr> list;
};
struct Logic {
  bool is_and;
  std::vector<ExpressionPtr> operands;
};
struct Not {
  ExpressionPtr operand;
};
struct FunctionCall {
  const QueryFunction* function;
  std::vector<ExpressionPtr> arguments;  ///< as many as the function takes
};

struct Expression {
  std::variant<Literal, Property, Comparison, In, Logic, Not, FunctionCall> kind;
};

/// The value of the expression for this item, valid as long as both live.
QueryValue evaluated(const Expression& expression, const boost::json::value& item);

/// Whether the value for this item is the boolean true.
bool is_true_for(const Expression& expression, const boost::json::value& item);

}  // namespace mayfly::serve
