#include "query_token.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "mayfly/rest/lower_case.hpp"
#include "mayfly/serve/query/item_query.hpp"

namespace mayfly::serve {

namespace {

namespace json = boost::json;
using TokenKind = QueryToken::Kind;

constexpr std::size_t longest_query = 256 * 1024;

constexpr std::array<std::string_view, 6> long_symbols{"!=", "<>", "<=", ">=", "??", "||"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool starts_name(char c) {
  return (rest::lower_case(c) >= 'a' && rest::lower_case(c) <= 'z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool continues_name(char c) { return starts_name(c) || is_digit(c); }

[[noreturn]] void reject(const std::string& why, std::size_t at) {
  throw QueryError(fmt::format("{} at character {}", why, at + 1));
}

class Lexer {
 public:
  explicit Lexer(std::string_view sql) : sql_(sql) {}

  QueryToken next() {
    skip_space_and_comments();
    start_ = at_;
    if (at_ == sql_.size()) return taken(TokenKind::end);
    if (starts_name(sql_[at_])) return taken_until(TokenKind::name, skip_while(at_, continues_name));
    if (sql_[at_] == '@') return taken_until(TokenKind::parameter, skip_while(at_ + 1, continues_name));
    if (is_digit(sql_[at_]) || (sql_[at_] == '.' && is_digit(peek(1)))) return number();
    if (sql_[at_] == '"' || sql_[at_] == '\'') return string();
    const bool is_long = std::find(long_symbols.begin(), long_symbols.end(), sql_.substr(at_, 2)) != long_symbols.end();
    return taken_until(TokenKind::symbol, at_ + (is_long ? 2 : 1));
  }

 private:
  char peek(std::size_t ahead) const { return at_ + ahead < sql_.size() ? sql_[at_ + ahead] : '\0'; }

  std::size_t skip_while(std::size_t from, bool (*holds)(char)) const {
    while (from < sql_.size() && holds(sql_[from])) ++from;
    return from;
  }

  void skip_space_and_comments() {
    while (true) {
      at_ = skip_while(at_, is_space);
      const std::string_view here = sql_.substr(at_, 2);
      if (here != "--" && here != "/*") return;
      const std::size_t end = here == "--" ? sql_.find('\n', at_) : sql_.find("*/", at_ + 2);
      if (end == std::string_view::npos && here == "/*") reject("an unterminated comment", at_);
      at_ = end == std::string_view::npos ? sql_.size() : here == "--" ? end : end + 2;
    }
  }

  QueryToken taken(TokenKind kind) const { return {kind, std::string(sql_.substr(start_, at_ - start_)), start_}; }
  QueryToken taken_until(TokenKind kind, std::size_t end) {
    at_ = end;
    return taken(kind);
  }

  QueryToken number() {
    at_ = skip_while(at_, is_digit);
    if (peek(0) == '.') at_ = skip_while(at_ + 1, is_digit);
    if (rest::lower_case(peek(0)) == 'e') {
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      at_ = skip_while(at_ + 1 + sign, is_digit);
    }
    if (continues_name(peek(0))) reject("a number ends in a letter", at_);
    return taken(TokenKind::number);
  }

  // Escapes are those of JSON, and of the quotes. So the text is rewritten as a JSON string, which the JSON parser
  // reads.
  QueryToken string() {
    const char quote = sql_[at_++];
    std::string text = "\"";
    for (; peek(0) != quote; ++at_) {
      if (at_ >= sql_.size()) reject("an unterminated string", start_);
      if (peek(0) == '\\' && peek(1) == '\'') {
        ++at_;
      } else if (peek(0) == '\\') {
        text += sql_[at_++];
        if (at_ >= sql_.size()) reject("an unterminated string", start_);
      } else if (peek(0) == '"') {
        text += '\\';
      }
      text += sql_[at_];
    }
    ++at_;
    json::error_code error;
    const json::value parsed = json::parse(text + '"', error);
    if (error) reject("a string with an invalid escape or character", start_);
    return {TokenKind::string, std::string(parsed.get_string()), start_};
  }

  std::string_view sql_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;
};

template <class Number>
bool reads_as(std::string_view digits, Number& number) {
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && rest == digits.data() + digits.size();
}

}  // namespace

bool QueryToken::is_word(std::string_view keyword) const {
  return kind == TokenKind::name &&
         std::equal(text.begin(), text.end(), keyword.begin(), keyword.end(),
                    [](char a, char b) { return rest::lower_case(a) == rest::lower_case(b); });
}

std::string QueryToken::shown() const {
  if (kind == TokenKind::end) return "the end of the query";
  const std::string shown = text.size() > 40 ? text.substr(0, 37) + "..." : text;
  return fmt::format("{} at character {}", json::serialize(json::string_view(shown)), at + 1);
}

std::vector<QueryToken> query_tokens(std::string_view sql) {
  if (sql.size() > longest_query) throw QueryError(fmt::format("the query is longer than {} bytes", longest_query));
  std::vector<QueryToken> tokens;
  Lexer lexer(sql);
  do tokens.push_back(lexer.next());
  while (tokens.back().kind != TokenKind::end);
  return tokens;
}

json::value query_number(std::string_view digits, std::size_t at) {
  std::int64_t whole = 0;
  std::uint64_t large = 0;
  double real = 0;
  if (reads_as(digits, whole)) return whole;
  if (reads_as(digits, large)) return large;
  if (!reads_as(digits, real)) reject(fmt::format("{} is not a number", digits), at);
  return real;
}

}  // namespace mayfly::serve
