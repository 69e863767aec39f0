#include "query_expression.hpp"

namespace mayfly::serve {

namespace {

namespace json = boost::json;

/// Evaluates AND or OR, operand by operand: one deciding operand decides the result; otherwise an undefined operand
/// makes the result undefined.
class Junction {
 public:
  explicit Junction(bool deciding) : deciding_(deciding) {}

  bool takes(const QueryValue& operand) {
    const auto known = as_truth(operand);
    is_undefined_ = is_undefined_ || !known;
    is_decided_ = known == deciding_;
    return !is_decided_;
  }

  QueryValue result() const {
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

  QueryValue operator()(const Literal& literal) const { return refer_to(literal.value ? &*literal.value : nullptr); }

  QueryValue operator()(const Property& property) const {
    const json::value* at = &item;
    for (const auto& step : property.steps) {
      if (const auto* name = std::get_if<std::string>(&step))
        at = at->is_object() ? at->get_object().if_contains(*name) : nullptr;
      else
        at = at->is_array() ? at->get_array().if_contains(std::get<std::size_t>(step)) : nullptr;
      if (!at) break;
    }
    return refer_to(at);
  }

  QueryValue operator()(const Comparison& comparison) const {
    return compare(comparison.by, evaluated(*comparison.left, item), evaluated(*comparison.right, item));
  }

  QueryValue operator()(const In& in) const {
    const QueryValue sought = evaluated(*in.sought, item);
    Junction any(true);
    for (const auto& element : in.list)
      if (!any.takes(compare(QueryOperator::equal, sought, evaluated(*element, item)))) break;
    return any.result();
  }

  QueryValue operator()(const Logic& logic) const {
    Junction junction(!logic.is_and);
    for (const auto& operand : logic.operands)
      if (!junction.takes(evaluated(*operand, item))) break;
    return junction.result();
  }

  QueryValue operator()(const Not& negation) const {
    const auto known = as_truth(evaluated(*negation.operand, item));
    return known ? truth(!*known) : nullptr;
  }

  QueryValue operator()(const FunctionCall& call) const {
    std::vector<QueryValue> arguments;
    for (const auto& argument : call.arguments) arguments.push_back(evaluated(*argument, item));
    return call.function->result(arguments);
  }
};

}  // namespace

QueryValue evaluated(const Expression& expression, const json::value& item) {
  return std::visit(Evaluation{item}, expression.kind);
}

bool is_true_for(const Expression& expression, const json::value& item) {
  return as_truth(evaluated(expression, item)) == true;
}

}  // namespace mayfly::serve
