#include "query_value.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include <boost/json/serializer.hpp>

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

QueryValue number(double number) {
  constexpr double counts_in_ones = 0x1p53;  // up to here, doubles represent every whole number
  if (!std::isfinite(number)) return nullptr;
  if (std::trunc(number) == number && std::abs(number) <= counts_in_ones)
    return computed(static_cast<std::int64_t>(number));
  return computed(number);
}

std::optional<bool> as_truth(const QueryValue& value) {
  return value && value->is_bool() ? std::optional(value->get_bool()) : std::nullopt;
}

// Recursion is bounded because items and parameters are parsed with a limit on their depth, and so are queries.
bool are_equal(const json::value& left, const json::value& right, WorkMeter& work) {
  work.take_bytes(left.is_string() ? left.get_string().size() : 0);
  if (rank(&left) != rank(&right)) return false;
  if (const auto order = compared_alike(left, right)) return *order == 0;
  const auto is_same = [&](const json::value& a, const json::value& b) { return are_equal(a, b, work); };
  if (left.is_array())
    return std::equal(left.get_array().begin(), left.get_array().end(), right.get_array().begin(),
                      right.get_array().end(), is_same);
  const auto& names = right.get_object();
  return left.get_object().size() == names.size() &&
         std::all_of(left.get_object().begin(), left.get_object().end(), [&](const auto& field) {
           work.take_bytes(field.key().size());
           const json::value* other = names.if_contains(field.key());
           return other && is_same(field.value(), *other);
         });
}

QueryValue compare(QueryOperator by, const QueryValue& left, const QueryValue& right, WorkMeter& work) {
  if (!left || !right || rank(left.get()) != rank(right.get())) return nullptr;
  if (left->is_string()) work.take_bytes(std::min(left->get_string().size(), right->get_string().size()));
  if (const auto order = compared_alike(*left, *right)) return truth(holds(by, *order));
  // Lists and objects are only compared for equality; every other comparison of them is undefined, `!=` included.
  return by == QueryOperator::equal ? truth(are_equal(*left, *right, work)) : nullptr;
}

std::weak_ordering sorted_as(const json::value* left, const json::value* right) {
  if (rank(left) != rank(right)) return rank(left) <=> rank(right);
  if (!left) return std::weak_ordering::equivalent;
  return compared_alike(*left, *right).value_or(std::weak_ordering::equivalent);
}

json::value copied(const json::value& value, WorkMeter& work) {
  work.take(1);
  work.take_bytes(value.is_string() ? value.get_string().size() : 0);
  if (const json::array* list = value.if_array()) {
    json::array copy;
    for (const json::value& element : *list) copy.push_back(copied(element, work));
    return copy;
  }
  if (const json::object* object = value.if_object()) {
    json::object copy;
    for (const auto& [name, field] : *object) {
      work.take_bytes(name.size());
      copy.emplace(name, copied(field, work));
    }
    return copy;
  }
  return json::value(value, json::storage_ptr());  // otherwise the copy shares the memory of the item
}

void append_json(std::string& out, const json::value& value, WorkMeter& work) {
  json::serializer text;
  text.reset(&value);
  std::array<char, 4096> buffer;
  while (!text.done()) {
    const auto part = text.read(buffer.data(), buffer.size());
    work.take_bytes(part.size());
    out.append(part.data(), part.size());
  }
}

void append_canonical(std::string& out, const json::value* value, WorkMeter& work) {
  if (!value) return;
  work.take(4);
  if (value->is_number()) return append_json(out, *number(value->to_number<double>()), work);
  if (const json::array* list = value->if_array()) {
    out += '[';
    for (const json::value& element : *list) {
      append_canonical(out, &element, work);
      out += ',';
    }
    out += ']';
  } else if (const json::object* object = value->if_object()) {
    std::map<std::string_view, const json::value*> sorted;
    for (const auto& [name, field] : *object) sorted.emplace(name, &field);
    out += '{';
    for (const auto& [name, field] : sorted) {
      append_json(out, json::value(name), work);
      append_canonical(out, field, work);
      out += ',';
    }
    out += '}';
  } else {
    append_json(out, *value, work);
  }
}

}  // namespace mayfly::serve
