#include "mayfly/sim/target/answers.hpp"

#include <array>
#include <optional>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "mayfly/sim/json.hpp"
#include "mayfly/sim/preview.hpp"

namespace mayfly {

namespace {

namespace json = boost::json;

constexpr std::size_t most_known = 4'000;
constexpr std::size_t most_known_bytes = 16 * 1024 * 1024;

[[noreturn]] void reject(const json::error_code& error, std::string_view line) {
  throw InputError(fmt::format("answers what is not JSON ({}): {}", error.message(), preview(line)));
}

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// The end of the string that begins here, or of the text.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  std::size_t i = begin + 1;
  while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
  return i;
}

/// Which characters have a meaning outside of strings.
constexpr auto has_meaning = [] {
  std::array<bool, 256> table{};
  for (const char c : {'"', '[', ']', '{', '}', ','}) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

/// The texts between the commas of a list, or nothing if the line is no list. If each of them is JSON, so is the list.
std::optional<std::vector<std::string_view>> elements_of(std::string_view line, std::size_t usual) {
  const std::string_view list = trimmed(line);
  if (list.size() < 2 || list.front() != '[' || list.back() != ']') return std::nullopt;
  std::vector<std::string_view> elements;
  elements.reserve(usual);
  std::size_t begin = 1;
  int depth = 1;
  for (std::size_t i = 1; i < list.size() && depth > 0; ++i) {
    const char c = list[i];
    if (!has_meaning[static_cast<unsigned char>(c)]) continue;
    if (c == '"') i = end_of_string(list, i);
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (depth > 1 || (depth == 1 && c != ',')) continue;
    elements.push_back(trimmed(list.substr(begin, i - begin)));
    begin = i + 1;
  }
  return begin == list.size() ? std::optional(std::move(elements)) : std::nullopt;
}

}  // namespace

json::value parse_line(std::string_view line) {
  json::error_code error;
  json::value value = json::parse(line, error);
  if (error) reject(error, line);
  return value;
}

const Answers::Answer& Answers::one(std::string_view line) { return read(trimmed(line), line); }

void Answers::list(std::string_view line, std::size_t count, std::vector<const Answer*>& answers) {
  const auto elements = elements_of(line, count);
  if (!elements || elements->size() != count) {
    const json::value value = parse_line(line);
    const auto* list = value.if_array();
    throw InputError(fmt::format("answers {} to {} requests in one line: {}",
                                 list ? std::to_string(list->size()) : "no list", count, preview(line)));
  }
  for (const std::string_view element : *elements) answers.push_back(&read(element, line));
}

void Answers::begin(bool with_charges) {
  with_charges_ = with_charges;
  known_.clear();
  known_bytes_ = 0;
}

void Answers::forget() {
  if (known_.size() > most_known || known_bytes_ > most_known_bytes) begin(with_charges_);
}

const Answers::Answer& Answers::read(std::string_view text, std::string_view line) {
  const auto known = known_.find(text);
  if (known != known_.end()) return known->second;
  known_bytes_ += text.size();
  return known_.emplace(text, parsed(text, line)).first->second;
}

Answers::Answer Answers::parsed(std::string_view text, std::string_view line) {
  std::array<unsigned char, 4'096> buffer;
  json::monotonic_resource memory(buffer.data(), buffer.size());
  json::error_code failed;
  parser_.reset(&memory);
  parser_.write(text, failed);
  if (failed) parser_.reset();  // before its memory is gone
  if (failed) reject(failed, line);
  json::value answer = parser_.release();
  if (!with_charges_ && answer.is_object()) answer.get_object().stable_erase("charge");
  try {
    return parse_answer(answer);
  } catch (const InputError& error) {
    return fmt::format("answers {}: {}", shortened(answer), error.what());
  }
}

}  // namespace mayfly
