#include "query_expression.hpp"

#include <cmath>

#include "query_text.hpp"

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

double computed_by(char by, double left, double right) {
  switch (by) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    default:
      return std::fmod(left, right);
  }
}

struct Evaluation {
  const QueryContext& context;

  QueryValue value_of(const ExpressionPtr& expression) const { return evaluated(*expression, context); }
  QueryValue compared(QueryOperator by, const QueryValue& left, const QueryValue& right) const {
    return compare(by, left, right, context.work);
  }

  QueryValue operator()(const Literal& literal) const { return literal.value; }

  QueryValue operator()(const Property& property) const {
    const json::value* at = &context.item;
    for (const auto& step : property.steps) {
      context.work.take(1);
      at = next(*at, step);
      if (!at) break;
    }
    return refer_to(at);
  }

  const json::value* next(const json::value& at, const auto& step) const {
    if (const auto* name = std::get_if<std::string>(&step)) return member(at, *name);
    if (const auto* place = std::get_if<std::size_t>(&step)) return element(at, *place);
    const QueryValue key = value_of(std::get<ExpressionPtr>(step));
    if (key && key->is_string()) return member(at, key->get_string());
    return key && key->is_int64() && key->get_int64() >= 0 ? element(at, static_cast<std::size_t>(key->get_int64()))
                                                           : nullptr;
  }
  static const json::value* member(const json::value& at, std::string_view name) {
    return at.is_object() ? at.get_object().if_contains(name) : nullptr;
  }
  static const json::value* element(const json::value& at, std::size_t place) {
    return at.is_array() ? at.get_array().if_contains(place) : nullptr;
  }

  QueryValue operator()(const Comparison& comparison) const {
    return compared(comparison.by, value_of(comparison.left), value_of(comparison.right));
  }

  QueryValue operator()(const Between& between) const {
    const QueryValue value = value_of(between.value);
    Junction both(false);
    if (both.takes(compared(QueryOperator::at_least, value, value_of(between.low))))
      both.takes(compared(QueryOperator::at_most, value, value_of(between.high)));
    return both.result();
  }

  QueryValue operator()(const Like& like) const {
    const QueryValue text = value_of(like.text), pattern = value_of(like.pattern);
    if (!text || !pattern || !text->is_string() || !pattern->is_string()) return nullptr;
    return truth(is_like(text->get_string(), pattern->get_string(), like.escape, context.work));
  }

  QueryValue operator()(const In& in) const {
    const QueryValue sought = value_of(in.sought);
    Junction any(true);
    for (const auto& element : in.list)
      if (!any.takes(compared(QueryOperator::equal, sought, value_of(element)))) break;
    return any.result();
  }

  QueryValue operator()(const Logic& logic) const {
    Junction junction(!logic.is_and);
    for (const auto& operand : logic.operands)
      if (!junction.takes(value_of(operand))) break;
    return junction.result();
  }

  QueryValue operator()(const Not& negation) const {
    const auto known = as_truth(value_of(negation.operand));
    return known ? truth(!*known) : nullptr;
  }

  QueryValue operator()(const Arithmetic& chain) const {
    const QueryValue first = value_of(chain.first);
    if (chain.rest.front().first == '|') return joined(first, chain);
    if (!first || !first->is_number()) return nullptr;
    auto total = first->to_number<double>();
    for (const auto& [by, operand] : chain.rest) {
      const QueryValue next = value_of(operand);
      if (!next || !next->is_number()) return nullptr;
      total = computed_by(by, total, next->to_number<double>());
    }
    return number(total);
  }

  QueryValue joined(const QueryValue& first, const Arithmetic& chain) const {
    if (!first || !first->is_string()) return nullptr;
    json::string all(first->get_string(), json::storage_ptr());
    for (const auto& [by, operand] : chain.rest) {
      const QueryValue next = value_of(operand);
      if (!next || !next->is_string()) return nullptr;
      context.work.take_bytes(next->get_string().size());
      all += next->get_string();
    }
    context.work.take_bytes(all.size());
    return computed(std::move(all));
  }

  QueryValue operator()(const Coalesce& coalesce) const {
    for (const auto& operand : coalesce.operands)
      if (QueryValue value = value_of(operand)) return value;
    return nullptr;
  }

  QueryValue operator()(const Conditional& conditional) const {
    return value_of(as_truth(value_of(conditional.condition)) == true ? conditional.then : conditional.otherwise);
  }

  QueryValue operator()(const FunctionCall& call) const {
    std::vector<QueryValue> arguments;
    for (const auto& argument : call.arguments) arguments.push_back(value_of(argument));
    context.work.take(2);
    return call.function->result({arguments, context.now, context.work});
  }

  QueryValue operator()(const NewList& list) const {
    json::array elements;
    for (const auto& element : list.elements)
      if (const QueryValue value = value_of(element)) elements.push_back(copied(*value, context.work));
    return computed(std::move(elements));
  }

  QueryValue operator()(const NewObject& object) const {
    json::object members;
    for (const auto& [name, member] : object.members)
      if (const QueryValue value = value_of(member)) members[name] = copied(*value, context.work);
    return computed(std::move(members));
  }

  QueryValue operator()(const AggregateResult& result) const { return context.aggregates[result.place]; }
};

}  // namespace

QueryValue evaluated(const Expression& expression, const QueryContext& context) {
  context.work.take(1);
  return std::visit(Evaluation{context}, expression.kind);
}

bool is_true_for(const Expression& expression, const QueryContext& context) {
  return as_truth(evaluated(expression, context)) == true;
}

}  // namespace mayfly::serve
