#pragma once

#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <boost/json/value.hpp>

// Expressions of queries and what they mean for an item. Undefined is a null pointer, and a value of its own: neither
// true nor false nor null.

namespace mayfly::serve {

struct Expression;
using ExpressionPtr = std::unique_ptr<const Expression>;

struct Literal {
  std::optional<boost::json::value> value;
};
struct Property {
  std::vector<std::variant<std::string, std::size_t>> steps;  ///< names, and places in lists; none is the item itself
};
struct Comparison {
  enum class Operator { equal, not_equal, less, at_most, greater, at_least };
  Operator by;
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
struct IsDefined {
  ExpressionPtr operand;
};

struct Expression {
  std::variant<Literal, Property, Comparison, In, Logic, Not, IsDefined> kind;
};

/// The value for this item, or nullptr: undefined. It lives as long as both.
const boost::json::value* evaluated(const Expression& expression, const boost::json::value& item);

/// Whether the value for this item is true, and not anything else.
bool is_true_for(const Expression& expression, const boost::json::value& item);

/// ORDER BY's order, of all types and of undefined.
std::weak_ordering sorted_as(const boost::json::value* left, const boost::json::value* right);

}  // namespace mayfly::serve
