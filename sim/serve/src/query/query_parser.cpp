#include "query_parser.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>
#include <fmt/format.h>

#include "mayfly/serve/query/item_query.hpp"
#include "query_text.hpp"
#include "query_token.hpp"

// Recursive descent: each function reads one construct and leaves the cursor after it. AND and OR collect their
// operands in loops, so only parentheses and NOT nest, and their depth is limited.

namespace mayfly::serve {

namespace {

namespace json = boost::json;
using TokenKind = QueryToken::Kind;

constexpr std::size_t deepest_nesting = 100;

// Words of the service's language that Mayfly does not support, for messages.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> unsupported_words{{
    {"array", "ARRAY"},
    {"exists", "EXISTS"},
    {"having", "HAVING"},
    {"join", "JOIN"},
    {"select", "a subquery"},
    {"udf", "UDF"},
    {"union", "UNION"},
}};
constexpr std::array<std::string_view, 4> unsupported_symbols{"&", "|", "^", "~"};

constexpr std::array<std::pair<std::string_view, QueryOperator>, 7> comparison_operators{{
    {"=", QueryOperator::equal},
    {"!=", QueryOperator::not_equal},
    {"<>", QueryOperator::not_equal},
    {"<", QueryOperator::less},
    {"<=", QueryOperator::at_most},
    {">", QueryOperator::greater},
    {">=", QueryOperator::at_least},
}};

// Further words that cannot be names.
constexpr std::array<std::string_view, 18> keywords{
    "and",   "as", "asc",  "between", "by",  "desc",   "distinct", "escape", "from",
    "group", "in", "like", "limit",   "not", "offset", "or",       "order",  "where",
};

constexpr std::array<std::pair<std::string_view, Aggregate::Kind>, 5> aggregates{{
    {"COUNT", Aggregate::Kind::count},
    {"SUM", Aggregate::Kind::sum},
    {"MIN", Aggregate::Kind::min},
    {"MAX", Aggregate::Kind::max},
    {"AVG", Aggregate::Kind::avg},
}};

ExpressionPtr make(auto kind) { return std::make_unique<const Expression>(Expression{std::move(kind)}); }

class SqlParser {
 public:
  SqlParser(std::string_view sql, const json::array& parameters) : tokens_(query_tokens(sql)) {
    for (const auto& given : parameters) add_parameter(given);
  }

  QueryPlan query() {
    expect_word("SELECT");
    plan_.is_distinct = accept_word("DISTINCT");
    if (accept_word("TOP")) plan_.limit = count_after("TOP");
    select();
    if (accept_word("FROM")) from();
    if (plan_.has_source && accept_word("WHERE")) plan_.condition = expression();
    if (plan_.has_source && accept_word("GROUP")) group_by();
    if (plan_.has_source && accept_word("ORDER")) order_by();
    if (accept_word("OFFSET")) offset_limit();
    if (at().kind != TokenKind::end) reject_here();
    check_names();
    plan_.reads_items = !roots_.empty() || plan_.form == QueryPlan::Form::whole_items;
    return std::move(plan_);
  }

 private:
  // Tokens.

  const QueryToken& at() const { return tokens_[cursor_]; }
  const QueryToken& after() const { return tokens_[std::min(cursor_ + 1, tokens_.size() - 1)]; }
  QueryToken take() { return tokens_[cursor_ + 1 == tokens_.size() ? cursor_ : cursor_++]; }

  bool accept_word(std::string_view word) {
    if (!at().is_word(word)) return false;
    take();
    return true;
  }
  bool accept_symbol(std::string_view symbol) {
    if (!at().is_symbol(symbol)) return false;
    take();
    return true;
  }
  void expect_word(std::string_view word) {
    if (!accept_word(word)) reject_here(word);
  }
  void expect_symbol(std::string_view symbol) {
    if (!accept_symbol(symbol)) reject_here(symbol);
  }

  bool at_keyword() const {
    const auto is_here = [&](std::string_view word) { return at().is_word(word); };
    return std::any_of(keywords.begin(), keywords.end(), is_here) ||
           std::any_of(unsupported_words.begin(), unsupported_words.end(),
                       [&](auto& word) { return is_here(word.first); });
  }
  std::string name() {
    if (at().kind != TokenKind::name || at_keyword()) reject_here("a name");
    return take().text;
  }

  [[noreturn]] void reject_unsupported(std::string_view what) const {
    throw QueryError(fmt::format("{} is not supported (at character {})", what, at().at + 1));
  }
  [[noreturn]] void reject_here(std::string_view expected = {}) const {
    for (const auto& [word, what] : unsupported_words)
      if (at().is_word(word)) reject_unsupported(what);
    for (const auto symbol : unsupported_symbols)
      if (at().is_symbol(symbol)) reject_unsupported(symbol);
    if (at().kind == TokenKind::name && after().is_symbol("(")) reject_unsupported("the function " + at().text);
    throw QueryError(expected.empty() ? fmt::format("unexpected {}", at().shown())
                                      : fmt::format("expected {}, found {}", expected, at().shown()));
  }

  // Clauses.

  void select() {
    if (accept_symbol("*")) return;
    place_ = Place::select;
    if (accept_word("VALUE")) {
      plan_.form = QueryPlan::Form::values;
      plan_.columns.push_back({{}, expression()});
    } else {
      plan_.form = QueryPlan::Form::objects;
      do add_column();
      while (accept_symbol(","));
    }
    place_ = Place::elsewhere;
  }

  void add_column() {
    auto column = expression();
    std::string shown_as = last_name(*column);
    if (accept_word("AS") || (at().kind == TokenKind::name && !at_keyword())) shown_as = name();
    if (shown_as.empty()) shown_as = fmt::format("${}", ++unnamed_);
    if (!column_names_.insert(shown_as).second) throw QueryError(fmt::format("two columns are named \"{}\"", shown_as));
    plan_.columns.push_back({std::move(shown_as), std::move(column)});
  }

  // A column is named after the property that it shows; the whole item after the alias.
  std::string last_name(const Expression& column) const {
    const auto* property = std::get_if<Property>(&column.kind);
    if (!property) return {};
    if (property->steps.empty()) return roots_.back().text;
    const auto* last = std::get_if<std::string>(&property->steps.back());
    return last ? *last : std::string();
  }

  void from() {
    plan_.has_source = true;
    if (at().is_symbol("(")) reject_unsupported("a subquery");
    alias_ = name();
    if (at().is_symbol(".") || at().is_symbol("[")) reject_unsupported("a part of items in FROM");
    if (at().is_word("IN")) reject_unsupported("IN in FROM");
    const bool has_as = accept_word("AS");
    if (has_as || (at().kind == TokenKind::name && !at_keyword())) alias_ = name();
  }

  void group_by() {
    expect_word("BY");
    do {
      plan_.group_by.push_back(property());
      group_paths_.push_back(path_of(*plan_.group_by.back()));
    } while (accept_symbol(","));
    if (plan_.form == QueryPlan::Form::whole_items) throw QueryError("SELECT * with GROUP BY is not supported");
    if (plan_.is_distinct) throw QueryError("DISTINCT with GROUP BY is not supported");
    if (at().is_word("ORDER")) reject_unsupported("ORDER BY with GROUP BY");
  }

  void order_by() {
    expect_word("BY");
    do {
      OrderTerm term{property(), accept_word("DESC")};
      if (!term.is_descending) accept_word("ASC");
      plan_.order.push_back(std::move(term));
    } while (accept_symbol(","));
  }

  void check_names() const {
    if (!plan_.has_source && plan_.form == QueryPlan::Form::whole_items) reject_here("FROM");
    for (const QueryToken& root : roots_)
      if (root.text != alias_) throw QueryError(fmt::format("{} is neither a property nor {}", root.shown(), alias_));
    if (plan_.aggregates.empty() && plan_.group_by.empty()) return;
    for (const auto& shown : shown_paths_)
      if (std::none_of(group_paths_.begin(), group_paths_.end(),
                       [&](const std::string& group) { return shown.first.starts_with(group); }))
        throw QueryError(fmt::format("{} is neither in an aggregate nor in GROUP BY", shown.second.shown()));
  }

  // Begins with the path of every property that this one is a part of.
  static std::string path_of(const Expression& expression) {
    std::string path;
    for (const auto& step : std::get<Property>(expression.kind).steps) {
      if (const auto* name = std::get_if<std::string>(&step)) path += *name;
      if (const auto* place = std::get_if<std::size_t>(&step)) path += fmt::format("[{}", *place);
      if (std::holds_alternative<ExpressionPtr>(step)) path += "[computed";
      path += '\0';
    }
    return path;
  }

  void offset_limit() {
    if (plan_.limit != QueryPlan{}.limit) throw QueryError("TOP and OFFSET LIMIT exclude each other");
    plan_.offset = count_after("OFFSET");
    expect_word("LIMIT");
    plan_.limit = count_after("LIMIT");
  }

  std::uint64_t count_after(std::string_view keyword) {
    const QueryToken token = at();
    if (token.kind != TokenKind::number && token.kind != TokenKind::parameter) reject_here("a number");
    const auto count = token.kind == TokenKind::number ? computed(query_number(take().text, token.at)) : parameter();
    if (!count || !count->is_int64() || count->get_int64() < 0)
      throw QueryError(fmt::format("{} needs a whole number, at least 0, found {}", keyword, token.shown()));
    return static_cast<std::uint64_t>(count->get_int64());
  }

  // Expressions, from the weakest binding to the strongest.

  void descend() {
    if (++depth_ > deepest_nesting)
      throw QueryError(fmt::format("the query nests deeper than {} levels: {}", deepest_nesting, at().shown()));
  }

  ExpressionPtr expression() {
    descend();
    auto read = coalesce();
    if (accept_symbol("?")) {
      auto then = expression();
      expect_symbol(":");
      read = make(Conditional{std::move(read), std::move(then), expression()});
    }
    --depth_;
    return read;
  }

  ExpressionPtr coalesce() {
    std::vector<ExpressionPtr> operands;
    do operands.push_back(junction("OR", [&] { return junction("AND", [&] { return negation(); }); }));
    while (accept_symbol("??"));
    return operands.size() == 1 ? std::move(operands[0]) : make(Coalesce{std::move(operands)});
  }

  ExpressionPtr junction(std::string_view word, auto read_operand) {
    std::vector<ExpressionPtr> operands;
    do operands.push_back(read_operand());
    while (accept_word(word));
    return operands.size() == 1 ? std::move(operands[0]) : make(Logic{word == "AND", std::move(operands)});
  }

  ExpressionPtr negation() {
    if (!accept_word("NOT")) return comparison();
    descend();
    auto read = make(Not{negation()});
    --depth_;
    return read;
  }

  ExpressionPtr comparison() {
    auto left = sum();
    for (const auto& [symbol, by] : comparison_operators)
      if (accept_symbol(symbol)) return make(Comparison{by, std::move(left), sum()});
    const bool is_negated =
        at().is_word("NOT") && (after().is_word("IN") || after().is_word("BETWEEN") || after().is_word("LIKE"));
    if (is_negated) take();
    auto read = test(std::move(left));
    return is_negated ? make(Not{std::move(read)}) : std::move(read);
  }

  ExpressionPtr test(ExpressionPtr left) {
    if (at().is_word("IN")) return in_list(std::move(left));
    if (accept_word("BETWEEN")) {
      auto low = sum();
      expect_word("AND");
      return make(Between{std::move(left), std::move(low), sum()});
    }
    if (accept_word("LIKE")) {
      Like like{std::move(left), sum(), {}};
      if (accept_word("ESCAPE")) like.escape = escape();
      return make(std::move(like));
    }
    return left;
  }

  std::string escape() {
    if (at().kind != TokenKind::string || count_characters(at().text) != 1) reject_here("one character in quotes");
    return take().text;
  }

  ExpressionPtr sum() {
    return chain({{"+", '+'}, {"-", '-'}}, [&] {
      return chain({{"*", '*'}, {"/", '/'}, {"%", '%'}}, [&] { return joined(); });
    });
  }
  ExpressionPtr joined() {
    return chain({{"||", '|'}}, [&] { return signed_value(); });
  }

  ExpressionPtr chain(std::initializer_list<std::pair<std::string_view, char>> operators, auto read_operand) {
    auto first = read_operand();
    Arithmetic chain{nullptr, {}};
    const auto next = [&] {
      return std::find_if(operators.begin(), operators.end(), [&](auto& by) { return at().is_symbol(by.first); });
    };
    for (auto by = next(); by != operators.end(); by = next()) {
      take();
      chain.rest.emplace_back(by->second, read_operand());
    }
    if (chain.rest.empty()) return first;
    chain.first = std::move(first);
    return make(std::move(chain));
  }

  ExpressionPtr signed_value() {
    if (at().is_symbol("-") && after().kind == TokenKind::number) return take(), number("-");
    if (!at().is_symbol("-") && !at().is_symbol("+")) return primary();
    const char sign = take().text[0];
    descend();
    Arithmetic chain{make(Literal{computed(0)}), {}};
    chain.rest.emplace_back(sign, signed_value());
    --depth_;
    return make(std::move(chain));
  }

  ExpressionPtr in_list(ExpressionPtr sought) {
    take();
    expect_symbol("(");
    return make(In{std::move(sought), list_until(")")});
  }

  ExpressionPtr primary() {
    if (at().kind == TokenKind::string) return make(Literal{computed(json::string(take().text))});
    if (at().kind == TokenKind::number) return number("");
    if (at().kind == TokenKind::parameter) return make(Literal{parameter()});
    if (accept_symbol("(")) return parenthesised();
    if (accept_symbol("[")) return make(NewList{list_until("]")});
    if (accept_symbol("{")) return new_object();
    if (accept_word("null")) return make(Literal{computed(nullptr)});
    if (accept_word("true")) return make(Literal{truth(true)});
    if (accept_word("false")) return make(Literal{truth(false)});
    if (accept_word("undefined")) return make(Literal{});
    return after().is_symbol("(") ? call() : property();
  }

  ExpressionPtr call() {
    for (const auto& [word, kind] : aggregates)
      if (at().is_word(word)) return aggregate(kind);
    const auto known = query_functions();
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const QueryFunction& each) { return at().is_word(each.name); });
    if (found == known.end() || at().kind != TokenKind::name) reject_here();
    take();
    take();
    FunctionCall call{&*found, list_until(")")};
    if (call.arguments.size() < found->least || call.arguments.size() > found->most)
      throw QueryError(
          fmt::format("{} takes {} arguments, found {}", found->name, shown_arity(*found), call.arguments.size()));
    return make(std::move(call));
  }

  static std::string shown_arity(const QueryFunction& function) {
    return function.least == function.most ? fmt::format("{}", function.least)
                                           : fmt::format("{} to {}", function.least, function.most);
  }

  ExpressionPtr aggregate(Aggregate::Kind kind) {
    if (place_ != Place::select)
      throw QueryError(fmt::format("an aggregate is only supported in SELECT, outside of another: {}", at().shown()));
    take();
    take();
    place_ = Place::aggregate;
    plan_.aggregates.push_back({kind, expression()});
    place_ = Place::select;
    expect_symbol(")");
    return make(AggregateResult{plan_.aggregates.size() - 1});
  }

  /// Expressions with commas between them. The opening bracket is taken already, and the closing one is taken too.
  std::vector<ExpressionPtr> list_until(std::string_view end) {
    std::vector<ExpressionPtr> list;
    if (accept_symbol(end)) return list;
    do list.push_back(expression());
    while (accept_symbol(","));
    expect_symbol(end);
    return list;
  }

  ExpressionPtr new_object() {
    NewObject object;
    if (accept_symbol("}")) return make(std::move(object));
    do {
      if (at().kind != TokenKind::string && at().kind != TokenKind::name) reject_here("the name of a property");
      std::string called = take().text;
      expect_symbol(":");
      object.members.emplace_back(std::move(called), expression());
    } while (accept_symbol(","));
    expect_symbol("}");
    return make(std::move(object));
  }

  ExpressionPtr parenthesised() {
    auto inside = expression();
    expect_symbol(")");
    return inside;
  }

  ExpressionPtr number(const std::string& sign) {
    const QueryToken token = take();
    return make(Literal{computed(query_number(sign + token.text, token.at))});
  }

  // If a name is given twice, the first value counts.
  void add_parameter(const json::value& given) {
    const auto* object = given.if_object();
    const auto* called = object ? object->if_contains("name") : nullptr;
    if (!called || !called->is_string()) return;
    const auto* value = object->if_contains("value");  // clients leave out an undefined value
    parameters_.try_emplace(std::string(std::string_view(called->get_string())), value ? computed(*value) : nullptr);
  }

  QueryValue parameter() {
    const QueryToken token = take();
    const auto found = parameters_.find(token.text);
    if (found == parameters_.end()) throw QueryError(fmt::format("no parameter is given for {}", token.shown()));
    return found->second;
  }

  ExpressionPtr property() {
    const QueryToken root = at();
    if (after().is_symbol("(")) reject_here();
    Property property;
    name();
    roots_.push_back(root);
    while (true) {
      if (accept_symbol(".")) {
        if (at().kind != TokenKind::name) reject_here("the name of a property");
        if (after().is_symbol("(")) reject_unsupported("the function " + at().text);
        property.steps.emplace_back(take().text);
      } else if (accept_symbol("[")) {
        add_step_in_brackets(property);
        expect_symbol("]");
      } else {
        auto read = make(std::move(property));
        if (place_ == Place::select) shown_paths_.emplace_back(path_of(*read), root);
        return read;
      }
    }
  }

  void add_step_in_brackets(Property& property) {
    const QueryToken token = at();
    if (token.kind == TokenKind::string && after().is_symbol("]")) {
      property.steps.emplace_back(take().text);
    } else if (token.kind == TokenKind::number && after().is_symbol("]")) {
      const json::value place = query_number(take().text, token.at);
      if (!place.is_int64()) throw QueryError(fmt::format("{} is not an index in a list", token.shown()));
      property.steps.emplace_back(static_cast<std::size_t>(place.get_int64()));
    } else {
      property.steps.emplace_back(expression());
    }
  }

  enum class Place { select, aggregate, elsewhere };

  std::vector<QueryToken> tokens_;
  boost::unordered_flat_map<std::string, QueryValue> parameters_;
  std::size_t cursor_ = 0;
  std::size_t depth_ = 0;
  std::size_t unnamed_ = 0;
  QueryPlan plan_;
  std::string alias_;
  std::set<std::string> column_names_;
  Place place_ = Place::elsewhere;  ///< of the cursor
  std::vector<QueryToken> roots_;   ///< first names of properties, to compare with the alias
  std::vector<std::pair<std::string, QueryToken>> shown_paths_;  ///< properties in SELECT, outside of aggregates
  std::vector<std::string> group_paths_;
};

}  // namespace

QueryPlan parse_query(std::string_view sql, const json::array& parameters) {
  return SqlParser(sql, parameters).query();
}

}  // namespace mayfly::serve
