#include "mayfly/serve/message/json_text.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <span>
#include <system_error>
#include <utility>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>
#include <fmt/format.h>

#include "mayfly/serve/message/message.hpp"

namespace mayfly::serve {

namespace json = boost::json;

namespace {

constexpr std::string_view white_space = " \t\r\n";

/// Builds a value from the events of Boost's parser. Unlike `json::parse`, it reads every number as the double nearest
/// to its digits: the parser's own is off by one bit for every eighth number with 16 or 17 digits.
class ValueBuilder {
 public:
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  ValueBuilder(json::storage_ptr storage, std::span<unsigned char> buffer) : values_({}, buffer.data(), buffer.size()) {
    values_.reset(std::move(storage));
  }

  json::value release() { return values_.release(); }

  using Error = json::error_code;

  bool on_document_begin(Error&) { return true; }
  bool on_document_end(Error&) { return true; }
  bool on_object_begin(Error&) { return true; }
  bool on_array_begin(Error&) { return true; }
  bool on_object_end(std::size_t size, Error&) { return values_.push_object(size), true; }
  bool on_array_end(std::size_t size, Error&) { return values_.push_array(size), true; }
  bool on_key_part(json::string_view part, std::size_t, Error&) { return values_.push_chars(part), true; }
  bool on_key(json::string_view rest, std::size_t, Error&) { return values_.push_key(rest), true; }
  bool on_string_part(json::string_view part, std::size_t, Error&) { return values_.push_chars(part), true; }
  bool on_string(json::string_view rest, std::size_t, Error&) { return values_.push_string(rest), true; }
  bool on_number_part(json::string_view, Error&) {
    return true;
  }  // never called, because the text is parsed as a whole
  bool on_int64(std::int64_t number, json::string_view, Error&) { return values_.push_int64(number), true; }
  bool on_uint64(std::uint64_t number, json::string_view, Error&) { return values_.push_uint64(number), true; }
  bool on_double(double roughly, json::string_view text, Error& problem) {
    double number = 0;
    const bool is_in_range = std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
    // A number too small for a double is zero; one too large is an error.
    if (!is_in_range && std::abs(roughly) > 1) problem = json::error::exponent_overflow;
    values_.push_double(number);
    return !problem;
  }
  bool on_bool(bool is_true, Error&) { return values_.push_bool(is_true), true; }
  bool on_null(Error&) { return values_.push_null(), true; }
  bool on_comment_part(json::string_view, Error&) { return true; }
  bool on_comment(json::string_view, Error&) { return true; }

 private:
  json::value_stack values_;
};

/// Walks over valid JSON text.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(trimmed(text)) {}

  /// Skips the opening bracket. True if an element or member follows.
  bool enter() {
    ++at_;
    return !meets_end();
  }

  /// Skips a comma or the closing bracket. True if an element or member follows.
  bool next() {
    skip_space();
    return text_[at_++] == ',';
  }

  /// Takes a value of any kind.
  std::string_view take_value() {
    skip_space();
    const std::size_t from = at_;
    if (text_[at_] == '"')
      skip_string();
    else if (text_[at_] == '{' || text_[at_] == '[')
      skip_nested();
    else
      while (at_ < text_.size() && !ends_number_or_word(text_[at_])) ++at_;
    return text_.substr(from, at_ - from);
  }

  void skip_colon() {
    skip_space();
    ++at_;
  }

 private:
  bool meets_end() {
    skip_space();
    return text_[at_] == '}' || text_[at_] == ']';
  }

  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
  static bool ends_number_or_word(char c) { return c == ',' || c == ']' || c == '}' || is_space(c); }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  void skip_string() {
    do at_ = text_.find('"', at_ + 1);
    while (is_escaped());
    ++at_;
  }

  /// Whether an odd number of backslashes stands before this.
  bool is_escaped() const {
    std::size_t from = at_;
    while (text_[from - 1] == '\\') --from;
    return (at_ - from) % 2 == 1;
  }

  void skip_nested() {
    std::size_t depth = 0;
    do {
      if (text_[at_] == '"') {
        skip_string();
        continue;
      }
      if (text_[at_] == '{' || text_[at_] == '[') ++depth;
      if (text_[at_] == '}' || text_[at_] == ']') --depth;
      ++at_;
    } while (depth > 0);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(white_space);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(white_space) - from + 1);
}

json::value parse_json(std::string_view text, json::storage_ptr storage, std::size_t most_depth) {
  unsigned char buffer[1024];
  json::basic_parser<ValueBuilder> parser({.max_depth = most_depth}, std::move(storage), std::span(buffer));
  boost::system::error_code problem;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), problem);
  if (problem == json::error::exponent_overflow)
    throw Refusal(
        400,
        fmt::format("The number at byte {} is too large for a double, or its exponent has too many digits.", read));
  if (problem) throw Refusal(400, fmt::format("The text is not JSON: {} after {} bytes.", problem.message(), read));
  if (read != text.size()) throw Refusal(400, fmt::format("The text has more than one JSON value: see byte {}.", read));
  return parser.handler().release();
}

json::object parse_json_object(std::string_view text, json::storage_ptr storage) {
  json::value value = parse_json(text, std::move(storage));
  if (!value.is_object()) throw Refusal(400, "The body must be a JSON object.");
  return std::move(value.get_object());
}

std::string decoded_name(std::string_view name) {
  if (name.find('\\') == std::string_view::npos) return std::string(name.substr(1, name.size() - 2));
  return std::string(std::string_view(parse_json(name).as_string()));
}

void for_each_member(std::string_view object,
                     const std::function<void(std::string_view name, std::string_view value)>& show) {
  Cursor cursor(object);
  for (bool more = cursor.enter(); more; more = cursor.next()) {
    const auto name = cursor.take_value();
    cursor.skip_colon();
    show(name, cursor.take_value());
  }
}

void for_each_element(std::string_view list, const std::function<void(std::string_view element)>& show) {
  Cursor cursor(list);
  for (bool more = cursor.enter(); more; more = cursor.next()) show(cursor.take_value());
}

}  // namespace mayfly::serve
