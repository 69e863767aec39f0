#include "query_value.hpp"

#include <algorithm>
#include <string_view>

namespace mayfly::serve {

namespace {

namespace json = boost::json;

// Queries treat numbers as doubles, as in the service, whatever their digits. JSON has no NaN.
std::weak_ordering compared_numbers(const json::value& left, const json::value& right) {
  const auto l = left.to_number<double>(), r = right.to_number<double>();
  return l < r ? std::weak_ordering::less : l > r ? std::weak_ordering::greater : std::weak_ordering::equivalent;
}

int rank(const json::value* value) {
  if (!value) return 0;
  switch (value->kind()) {
    case json::kind::null:
      return 1;
    case json::kind::bool_:
      return 2;
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_:
      return 3;
    case json::kind::string:
      return 4;
    case json::kind::array:
      return 5;
    case json::kind::object:
      return 6;
  }
  return 6;
}

// Compares two values of one type. Nothing for lists and objects, which have no order.
std::optional<std::weak_ordering> compared_alike(const json::value& left, const json::value& right) {
  if (left.is_null()) return std::weak_ordering::equivalent;
  if (left.is_bool()) return left.get_bool() <=> right.get_bool();
  if (left.is_number()) return compared_numbers(left, right);
  if (left.is_string()) return std::string_view(left.get_string()) <=> std::string_view(right.get_string());
  return std::nullopt;
}

// Recursion is bounded because items and parameters are parsed with a limit on their depth.
bool are_equal(const json::value& left, const json::value& right) {
  if (rank(&left) != rank(&right)) return false;
  if (const auto order = compared_alike(left, right)) return *order == 0;
  if (left.is_array())
    return std::equal(left.get_array().begin(), left.get_array().end(), right.get_array().begin(),
                      right.get_array().end(), are_equal);
  const auto& names = right.get_object();
  return left.get_object().size() == names.size() &&
         std::all_of(left.get_object().begin(), left.get_object().end(), [&](const auto& field) {
           const json::value* other = names.if_contains(field.key());
           return other && are_equal(field.value(), *other);
         });
}

bool holds(QueryOperator by, std::weak_ordering order) {
  switch (by) {
    case QueryOperator::equal:
      return order == 0;
    case QueryOperator::not_equal:
      return order != 0;
    case QueryOperator::less:
      return order < 0;
    case QueryOperator::at_most:
      return order <= 0;
    case QueryOperator::greater:
      return order > 0;
    case QueryOperator::at_least:
      return order >= 0;
  }
  return false;
}

}  // namespace

QueryValue truth(bool is_true) {
  static const json::value yes(true), no(false);
  return refer_to(is_true ? &yes : &no);
}

std::optional<bool> as_truth(const QueryValue& value) {
  return value && value->is_bool() ? std::optional(value->get_bool()) : std::nullopt;
}

QueryValue compare(QueryOperator by, const QueryValue& left, const QueryValue& right) {
  if (!left || !right || rank(left.get()) != rank(right.get())) return nullptr;
  if (const auto order = compared_alike(*left, *right)) return truth(holds(by, *order));
  // Lists and objects are only compared for equality; every other comparison of them is undefined, `!=` included.
  return by == QueryOperator::equal ? truth(are_equal(*left, *right)) : nullptr;
}

std::weak_ordering sorted_as(const QueryValue& left, const QueryValue& right) {
  if (rank(left.get()) != rank(right.get())) return rank(left.get()) <=> rank(right.get());
  if (!left) return std::weak_ordering::equivalent;
  return compared_alike(*left, *right).value_or(std::weak_ordering::equivalent);
}

}  // namespace mayfly::serve
