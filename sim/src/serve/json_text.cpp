#include "mayfly/sim/serve/json_text.hpp"

#include <boost/json/parser.hpp>
#include <boost/json/stream_parser.hpp>
#include <fmt/format.h>

#include "mayfly/sim/serve/message.hpp"

namespace mayfly::serve {

namespace json = boost::json;

namespace {

constexpr std::string_view white_space = " \t\r\n";

/// Walks over valid JSON text.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(trimmed(text)) {}

  /// Goes past the bracket at the start, and says whether something follows.
  bool enter() {
    ++at_;
    return !meets_end();
  }

  /// Goes past a comma or the bracket at the end, and says whether something follows.
  bool next() {
    skip_space();
    return text_[at_++] == ',';
  }

  /// Takes a string, a number, a list, whatever comes.
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

json::value parse_json(std::string_view text, json::storage_ptr storage) {
  unsigned char buffer[1024];
  json::parser parser({}, {.max_depth = greatest_depth}, buffer);
  parser.reset(std::move(storage));
  boost::system::error_code problem;
  const std::size_t read = parser.write_some(text, problem);
  if (problem) throw Refusal(400, fmt::format("The body is not JSON: {} after {} bytes.", problem.message(), read));
  if (read != text.size()) throw Refusal(400, fmt::format("The body has more than one JSON value: see byte {}.", read));
  return parser.release();
}

json::object parse_json_object(std::string_view text, json::storage_ptr storage) {
  json::value value = parse_json(text, std::move(storage));
  if (!value.is_object()) throw Refusal(400, "The body must be a JSON object.");
  return std::move(value.get_object());
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
