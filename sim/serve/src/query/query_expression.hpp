#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
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
  QueryValue value;  ///< a parameter's value is shared by all its uses
};
struct Property {
  /// Names, indexes in lists, and expressions that compute either; empty for the item itself.
  std::vector<std::variant<std::string, std::size_t, ExpressionPtr>> steps;
};
struct Comparison {
  QueryOperator by;
  ExpressionPtr left, right;
};
struct Between {
  ExpressionPtr value, low, high;
};
struct Like {
  ExpressionPtr text, pattern;
  std::string escape;  ///< a character, or empty
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
/// `first + second - third`: operators of one strength, from left to right.
struct Arithmetic {
  ExpressionPtr first;
  std::vector<std::pair<char, ExpressionPtr>> rest;  ///< + - * / %, or | for joining texts
};
struct Coalesce {
  std::vector<ExpressionPtr> operands;
};
struct Conditional {
  ExpressionPtr condition, then, otherwise;
};
struct FunctionCall {
  const QueryFunction* function;
  std::vector<ExpressionPtr> arguments;  ///< as many as the function takes
};
struct NewList {
  std::vector<ExpressionPtr> elements;
};
struct NewObject {
  std::vector<std::pair<std::string, ExpressionPtr>> members;
};
/// The result of an aggregate, by its place among those of the query.
struct AggregateResult {
  std::size_t place;
};

struct Expression {
  std::variant<Literal, Property, Comparison, Between, Like, In, Logic, Not, Arithmetic, Coalesce, Conditional,
               FunctionCall, NewList, NewObject, AggregateResult>
      kind;
};

/// What expressions are evaluated for.
struct QueryContext {
  const boost::json::value& item;
  Instant now;
  WorkMeter& work;
  std::span<const QueryValue> aggregates = {};
};

/// The value of the expression for this item, valid as long as both live.
QueryValue evaluated(const Expression& expression, const QueryContext& context);

/// Whether the value for this item is the boolean true.
bool is_true_for(const Expression& expression, const QueryContext& context);

}  // namespace mayfly::serve
