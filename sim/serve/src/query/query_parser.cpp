#include "query_parser.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "mayfly/serve/query/item_query.hpp"
#include "query_token.hpp"

// Recursive descent: each function reads one construct and leaves the cursor after it. AND and OR collect their
// operands in loops, so only parentheses and NOT nest, and their depth is limited.

namespace mayfly::serve {

namespace {

namespace json = boost::json;
using TokenKind = QueryToken::Kind;

constexpr std::size_t deepest_nesting = 100;

// Words of the service's language that Mayfly does not support, for messages.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> unsupported_words{{
    {"array", "ARRAY"},
    {"between", "BETWEEN"},
    {"distinct", "DISTINCT"},
    {"escape", "ESCAPE"},
    {"exists", "EXISTS"},
    {"group", "GROUP BY"},
    {"having", "HAVING"},
    {"join", "JOIN"},
    {"like", "LIKE"},
    {"select", "a subquery"},
    {"udf", "UDF"},
    {"union", "UNION"},
}};
constexpr std::array<std::string_view, 14> unsupported_symbols{
    "+", "-", "*", "/", "%", "&", "|", "^", "~", "?", "??", "||", "{", "[",
};

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
constexpr std::array<std::string_view, 13> keywords{
    "and", "as", "asc", "by", "desc", "from", "in", "limit", "not", "offset", "or", "order", "where",
};

ExpressionPtr make(auto kind) { return std::make_unique<const Expression>(Expression{std::move(kind)}); }

class SqlParser {
 public:
  SqlParser(std::string_view sql, const json::array& parameters)
      : tokens_(query_tokens(sql)), parameters_(parameters) {}

  QueryPlan query() {
    expect_word("SELECT");
    if (accept_word("TOP")) plan_.limit = count_after("TOP");
    select();
    from();
    if (accept_word("WHERE")) plan_.condition = expression();
    if (accept_word("ORDER")) order_by();
    if (accept_word("OFFSET")) offset_limit();
    if (at().kind != TokenKind::end) reject_here();
    for (const auto& [name, token] : roots_)
      if (name != alias_) throw QueryError(fmt::format("{} is neither a property nor {}", token.shown(), alias_));
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
    if (accept_word("VALUE")) {
      plan_.form = QueryPlan::Form::values;
      plan_.columns.push_back({{}, counted_or_plain()});
      return;
    }
    plan_.form = QueryPlan::Form::objects;
    do add_column();
    while (accept_symbol(","));
    if (plan_.counts && plan_.columns.size() > 1) throw QueryError("COUNT with other columns is not supported");
  }

  void add_column() {
    auto column = counted_or_plain();
    std::string shown_as = last_name(*column);
    if (accept_word("AS")) shown_as = name();
    if (shown_as.empty()) shown_as = fmt::format("${}", ++unnamed_);
    for (const auto& other : plan_.columns)
      if (other.name == shown_as) throw QueryError(fmt::format("two columns are named \"{}\"", shown_as));
    plan_.columns.push_back({std::move(shown_as), std::move(column)});
  }

  ExpressionPtr counted_or_plain() {
    if (!at().is_word("COUNT") || !after().is_symbol("(")) return expression();
    take();
    take();
    plan_.counts = true;
    auto counted = expression();
    expect_symbol(")");
    return counted;
  }

  // A column is named after the property that it shows; the whole item after the alias.
  std::string last_name(const Expression& column) const {
    const auto* property = std::get_if<Property>(&column.kind);
    if (!property || plan_.counts) return {};
    if (property->steps.empty()) return roots_.back().first;
    const auto* last = std::get_if<std::string>(&property->steps.back());
    return last ? *last : std::string();
  }

  void from() {
    expect_word("FROM");
    if (at().is_symbol("(")) reject_unsupported("a subquery");
    alias_ = name();
    if (at().is_symbol(".") || at().is_symbol("[")) reject_unsupported("a part of items in FROM");
    if (at().is_word("IN")) reject_unsupported("IN in FROM");
    const bool has_as = accept_word("AS");
    if (has_as || (at().kind == TokenKind::name && !at_keyword())) alias_ = name();
  }

  void order_by() {
    expect_word("BY");
    plan_.order = property();
    if (at().is_symbol(",")) reject_unsupported("ORDER BY of more than one property");
    plan_.is_descending = accept_word("DESC");
    if (!plan_.is_descending) accept_word("ASC");
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
    const auto count = token.kind == TokenKind::number ? query_number(take().text, token.at) : parameter();
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
    auto read = junction("OR", [&] { return junction("AND", [&] { return negation(); }); });
    --depth_;
    return read;
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
    auto left = primary();
    for (const auto& [symbol, by] : comparison_operators)
      if (accept_symbol(symbol)) return make(Comparison{by, std::move(left), primary()});
    if (at().is_word("NOT") && after().is_word("IN")) {
      take();
      return make(Not{in_list(std::move(left))});
    }
    return at().is_word("IN") ? in_list(std::move(left)) : std::move(left);
  }

  ExpressionPtr in_list(ExpressionPtr sought) {
    take();
    expect_symbol("(");
    In in{std::move(sought), {}};
    do in.list.push_back(expression());
    while (accept_symbol(","));
    expect_symbol(")");
    return make(std::move(in));
  }

  ExpressionPtr primary() {
    if (at().kind == TokenKind::string) return make(Literal{json::value(take().text)});
    if (at().kind == TokenKind::number) return number("");
    if (at().is_symbol("-") && after().kind == TokenKind::number) return take(), number("-");
    if (at().kind == TokenKind::parameter) return make(Literal{parameter()});
    if (accept_symbol("(")) return parenthesised();
    if (accept_word("null")) return make(Literal{json::value(nullptr)});
    if (accept_word("true")) return make(Literal{json::value(true)});
    if (accept_word("false")) return make(Literal{json::value(false)});
    if (accept_word("undefined")) return make(Literal{});
    for (const QueryFunction& function : query_functions())
      if (at().is_word(function.name) && after().is_symbol("(")) return call(function);
    return property();
  }

  ExpressionPtr call(const QueryFunction& function) {
    take();
    take();
    FunctionCall call{&function, {}};
    while (call.arguments.size() < function.arity) {
      if (!call.arguments.empty()) expect_symbol(",");
      call.arguments.push_back(expression());
    }
    expect_symbol(")");
    return make(std::move(call));
  }

  ExpressionPtr parenthesised() {
    auto inside = expression();
    expect_symbol(")");
    return inside;
  }

  ExpressionPtr number(const std::string& sign) {
    const QueryToken token = take();
    return make(Literal{query_number(sign + token.text, token.at)});
  }

  std::optional<json::value> parameter() {
    const QueryToken token = take();
    for (const auto& given : parameters_) {
      const auto* object = given.if_object();
      const auto* called = object ? object->if_contains("name") : nullptr;
      if (!called || !called->is_string() || called->get_string() != token.text) continue;
      const auto* value = object->if_contains("value");
      return value ? std::optional(*value) : std::nullopt;  // clients leave out an undefined value
    }
    throw QueryError(fmt::format("no parameter is given for {}", token.shown()));
  }

  ExpressionPtr property() {
    const QueryToken root = at();
    if (after().is_symbol("(")) reject_here();
    Property property;
    const std::string called = name();
    roots_.emplace_back(called, root);
    while (true) {
      if (accept_symbol(".")) {
        if (at().kind != TokenKind::name) reject_here("the name of a property");
        if (after().is_symbol("(")) reject_unsupported("the function " + at().text);
        property.steps.emplace_back(take().text);
      } else if (accept_symbol("[")) {
        property.steps.push_back(step_in_brackets());
        expect_symbol("]");
      } else {
        return make(std::move(property));
      }
    }
  }

  std::variant<std::string, std::size_t> step_in_brackets() {
    if (at().kind == TokenKind::string) return take().text;
    const QueryToken token = at();
    if (token.kind != TokenKind::number) reject_here("a name in quotes or a number");
    const json::value place = query_number(take().text, token.at);
    if (!place.is_int64()) throw QueryError(fmt::format("{} is not an index in a list", token.shown()));
    return static_cast<std::size_t>(place.get_int64());
  }

  std::vector<QueryToken> tokens_;
  const json::array& parameters_;
  std::size_t cursor_ = 0;
  std::size_t depth_ = 0;
  std::size_t unnamed_ = 0;
  QueryPlan plan_;
  std::string alias_;
  std::vector<std::pair<std::string, QueryToken>> roots_;  ///< first names of properties, to compare with the alias
};

}  // namespace

QueryPlan parse_query(std::string_view sql, const json::array& parameters) {
  return SqlParser(sql, parameters).query();
}

}  // namespace mayfly::serve
