#include "query_expression.hpp"

#include <algorithm>
#include <string_view>

namespace mayfly::serve {

namespace {

namespace json = boost::json;

// Numbers are doubles to queries, as in the service, whatever their digits say. JSON has no NaN.
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

// Of two values of one type; nothing for lists and objects, which have no order.
std::optional<std::weak_ordering> compared_alike(const json::value& left, const json::value& right) {
  if (left.is_null()) return std::weak_ordering::equivalent;
  if (left.is_bool()) return left.get_bool() <=> right.get_bool();
  if (left.is_number()) return compared_numbers(left, right);
  if (left.is_string()) return std::string_view(left.get_string()) <=> std::string_view(right.get_string());
  return std::nullopt;
}

// Items are parsed with a limit on their depth, and parameters too.
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

const json::value* truth(bool is_true) {
  static const json::value yes(true), no(false);
  return is_true ? &yes : &no;
}

std::optional<bool> as_truth(const json::value* value) {
  return value && value->is_bool() ? std::optional(value->get_bool()) : std::nullopt;
}

bool holds(Comparison::Operator by, std::weak_ordering order) {
  switch (by) {
    case Comparison::Operator::equal:
      return order == 0;
    case Comparison::Operator::not_equal:
      return order != 0;
    case Comparison::Operator::less:
      return order < 0;
    case Comparison::Operator::at_most:
      return order <= 0;
    case Comparison::Operator::greater:
      return order > 0;
    case Comparison::Operator::at_least:
      return order >= 0;
  }
  return false;
}

const json::value* compare(Comparison::Operator by, const json::value* left, const json::value* right) {
  if (!left || !right || rank(left) != rank(right)) return nullptr;
  if (const auto order = compared_alike(*left, *right)) return truth(holds(by, *order));
  // Lists and objects are equal or not, and every other comparison of them is undefined, `!=` included.
  return by == Comparison::Operator::equal ? truth(are_equal(*left, *right)) : nullptr;
}

/// Takes operands of AND or OR one by one: one operand decides alone, and an undefined one leaves all undefined
/// otherwise.
class Junction {
 public:
  explicit Junction(bool deciding) : deciding_(deciding) {}

  bool takes(const json::value* operand) {
    const auto known = as_truth(operand);
    is_undefined_ = is_undefined_ || !known;
    is_decided_ = known == deciding_;
    return !is_decided_;
  }

  const json::value* result() const {
    if (is_decided_) return truth(deciding_);
    return is_undefined_ ? nullptr : truth(!deciding_);
  }

 private:
  bool deciding_;
  bool is_undefined_ = false;
  bool is_decided_ = false;
};

struct Evaluation {
  const json::value& item;

  const json::value* operator()(const Literal& literal) const { return literal.value ? &*literal.value : nullptr; }

  const json::value* operator()(const Property& property) const {
    const json::value* at = &item;
    for (const auto& step : property.steps) {
      if (const auto* name = std::get_if<std::string>(&step))
        at = at->is_object() ? at->get_object().if_contains(*name) : nullptr;
      else
        at = at->is_array() ? at->get_array().if_contains(std::get<std::size_t>(step)) : nullptr;
      if (!at) break;
    }
    return at;
  }

  const json::value* operator()(const Comparison& comparison) const {
    return compare(comparison.by, evaluated(*comparison.left, item), evaluated(*comparison.right, item));
  }

  const json::value* operator()(const In& in) const {
    const json::value* sought = evaluated(*in.sought, item);
    Junction any(true);
    for (const auto& element : in.list)
      if (!any.takes(compare(Comparison::Operator::equal, sought, evaluated(*element, item)))) break;
    return any.result();
  }

  const json::value* operator()(const Logic& logic) const {
    Junction junction(!logic.is_and);
    for (const auto& operand : logic.operands)
      if (!junction.takes(evaluated(*operand, item))) break;
    return junction.result();
  }

  const json::value* operator()(const Not& negation) const {
    const auto known = as_truth(evaluated(*negation.operand, item));
    return known ? truth(!*known) : nullptr;
  }

  const json::value* operator()(const IsDefined& question) const {
    return truth(evaluated(*question.operand, item) != nullptr);
  }
};

}  // namespace

const json::value* evaluated(const Expression& expression, const json::value& item) {
  return std::visit(Evaluation{item}, expression.kind);
}

bool is_true_for(const Expression& expression, const json::value& item) {
  return as_truth(evaluated(expression, item)) == true;
}

std::weak_ordering sorted_as(const json::value* left, const json::value* right) {
  if (rank(left) != rank(right)) return rank(left) <=> rank(right);
  if (!left) return std::weak_ordering::equivalent;
  return compared_alike(*left, *right).value_or(std::weak_ordering::equivalent);
}

}  // namespace mayfly::serve
