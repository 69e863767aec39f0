#include "query_function.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>

#include "mayfly/serve/message/instant_text.hpp"
#include "query_text.hpp"

namespace mayfly::serve {

namespace {

namespace json = boost::json;
using Call = FunctionCallFrame;

const json::string* text_in(const Call& call, std::size_t place) {
  return place < call.size() && call[place] ? call[place]->if_string() : nullptr;
}

QueryValue text(std::string value, WorkMeter& work) {
  work.take_bytes(value.size());
  return computed(json::string(value));
}

std::optional<double> number_in(const Call& call, std::size_t place) {
  if (place >= call.size() || !call[place] || !call[place]->is_number()) return std::nullopt;
  return call[place]->to_number<double>();
}

// Types.

template <bool (*Holds)(const json::value&)>
QueryValue type_test(const Call& call) {
  return truth(call[0] && Holds(*call[0]));
}

bool is_integer(const json::value& value) {
  return value.is_number() && std::trunc(value.to_number<double>()) == value.to_number<double>();
}

// Texts. Undefined unless the arguments are texts, and a last one that says whether to ignore case is a boolean.

template <bool (*Holds)(std::string_view text, std::string_view part)>
QueryValue text_test(const Call& call) {
  const json::string *whole = text_in(call, 0), *part = text_in(call, 1);
  const auto ignores_case = call.size() > 2 ? as_truth(call[2]) : false;
  if (!whole || !part || !ignores_case) return nullptr;
  call.work.take_bytes(whole->size() + part->size());
  if (!*ignores_case) return truth(Holds(*whole, *part));
  return truth(Holds(in_case(*whole, LetterCase::lower), in_case(*part, LetterCase::lower)));
}

bool starts_with(std::string_view text, std::string_view part) { return text.starts_with(part); }
bool ends_with(std::string_view text, std::string_view part) { return text.ends_with(part); }
bool is_equal_text(std::string_view text, std::string_view other) { return text == other; }

// `std::string_view::find` takes the product of the sizes at worst, this their sum.
std::size_t find_in(std::string_view text, std::string_view part) {
  const void* found = memmem(text.data(), text.size(), part.data(), part.size());
  return found ? static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) : std::string_view::npos;
}
bool contains(std::string_view text, std::string_view part) { return find_in(text, part) != std::string_view::npos; }

template <std::string (*Change)(std::string_view)>
QueryValue changed_text(const Call& call) {
  const json::string* whole = text_in(call, 0);
  return whole ? text(Change(*whole), call.work) : nullptr;
}

std::string lower(std::string_view text) { return in_case(text, LetterCase::lower); }
std::string upper(std::string_view text) { return in_case(text, LetterCase::upper); }
constexpr std::string_view trimmed_characters = " \t\r\n";
std::string left_trimmed(std::string_view text) {
  return std::string(text.substr(std::min(text.find_first_not_of(trimmed_characters), text.size())));
}
std::string right_trimmed(std::string_view text) {
  return std::string(text.substr(0, text.find_last_not_of(trimmed_characters) + 1));
}
std::string trimmed_text(std::string_view text) { return right_trimmed(left_trimmed(text)); }
std::string reversed(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto last = last_character(text);
    result += last;
    text.remove_suffix(last.size());
  }
  return result;
}

QueryValue length(const Call& call) {
  const json::string* whole = text_in(call, 0);
  if (!whole) return nullptr;
  call.work.take_bytes(whole->size());
  return number(static_cast<double>(count_characters(*whole)));
}

QueryValue index_of(const Call& call) {
  const json::string *whole = text_in(call, 0), *part = text_in(call, 1);
  const auto from = call.size() > 2 ? number_in(call, 2) : 0;
  if (!whole || !part || !from || *from < 0) return nullptr;
  call.work.take_bytes(whole->size() + part->size());
  const std::string_view all(*whole);
  const std::size_t start = byte_of_character(all, *from);
  const std::size_t found = find_in(all.substr(start), *part);
  if (found == std::string_view::npos) return number(-1);
  return number(static_cast<double>(count_characters(all.substr(0, start + found))));
}

QueryValue part_of(const Call& call, double from, double count) {
  const std::string_view all(*text_in(call, 0));
  call.work.take_bytes(all.size());
  const std::size_t start = byte_of_character(all, std::max(from, 0.0));
  const std::string_view rest = all.substr(start);
  return text(std::string(rest.substr(0, byte_of_character(rest, std::max(count, 0.0)))), call.work);
}

QueryValue substring(const Call& call) {
  const auto from = number_in(call, 1), count = number_in(call, 2);
  return text_in(call, 0) && from && count ? part_of(call, *from, *count) : nullptr;
}
QueryValue left(const Call& call) {
  const auto count = number_in(call, 1);
  return text_in(call, 0) && count ? part_of(call, 0, *count) : nullptr;
}
QueryValue right(const Call& call) {
  const auto count = number_in(call, 1);
  if (!text_in(call, 0) || !count) return nullptr;
  const auto all = static_cast<double>(count_characters(*text_in(call, 0)));
  return part_of(call, all - std::max(*count, 0.0), all);
}

QueryValue concat(const Call& call) {
  std::string all;
  for (std::size_t i = 0; i < call.size(); ++i) {
    const json::string* part = text_in(call, i);
    if (!part) return nullptr;
    call.work.take_bytes(part->size());
    all += std::string_view(*part);
  }
  return text(std::move(all), call.work);
}

QueryValue replace(const Call& call) {
  const json::string *whole = text_in(call, 0), *part = text_in(call, 1), *other = text_in(call, 2);
  if (!whole || !part || !other) return nullptr;
  call.work.take_bytes(whole->size() + part->size());
  std::string result;
  std::string_view rest(*whole);
  for (auto at = part->empty() ? std::string_view::npos : find_in(rest, *part); at != std::string_view::npos;
       at = find_in(rest, *part)) {
    call.work.take_bytes(at + part->size() + other->size());
    result.append(rest.substr(0, at)).append(std::string_view(*other));
    rest.remove_prefix(at + part->size());
  }
  return text(result.append(rest), call.work);
}

QueryValue to_text(const Call& call) {
  if (!call[0]) return nullptr;
  if (call[0]->is_string()) return call[0];
  std::string json;
  append_json(json, *call[0], call.work);
  return computed(json::string(json));
}

// Numbers.

template <double (*Compute)(double)>
QueryValue computed_number(const Call& call) {
  const auto given = number_in(call, 0);
  return given ? number(Compute(*given)) : nullptr;
}

double absolute(double x) { return std::abs(x); }
double ceiling(double x) { return std::ceil(x); }
double floor_of(double x) { return std::floor(x); }
double rounded(double x) { return std::round(x); }
double truncated(double x) { return std::trunc(x); }
double root(double x) { return std::sqrt(x); }
double square(double x) { return x * x; }
double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

QueryValue power(const Call& call) {
  const auto base = number_in(call, 0), exponent = number_in(call, 1);
  return base && exponent ? number(std::pow(*base, *exponent)) : nullptr;
}

// Lists.

/// Whether each property of `part` is one of `whole` with the same value.
bool has_part(const json::value& whole, const json::value& part, WorkMeter& work) {
  if (!whole.is_object() || !part.is_object()) return are_equal(whole, part, work);
  for (const auto& [name, value] : part.get_object()) {
    const json::value* other = whole.get_object().if_contains(name);
    if (!other || !has_part(*other, value, work)) return false;
  }
  return true;
}

QueryValue array_contains(const Call& call) {
  const json::array* list = call[0] ? call[0]->if_array() : nullptr;
  const auto is_part = call.size() > 2 ? as_truth(call[2]) : false;
  if (!list || !call[1] || !is_part) return nullptr;
  return truth(std::any_of(list->begin(), list->end(), [&](const json::value& element) {
    call.work.take(1);
    return *is_part ? has_part(element, *call[1], call.work) : are_equal(element, *call[1], call.work);
  }));
}

QueryValue array_length(const Call& call) {
  const json::array* list = call[0] ? call[0]->if_array() : nullptr;
  return list ? number(static_cast<double>(list->size())) : nullptr;
}

QueryValue array_concat(const Call& call) {
  json::array all;
  for (const QueryValue& part : call.arguments) {
    if (!part || !part->is_array()) return nullptr;
    for (const json::value& element : part->get_array()) all.push_back(copied(element, call.work));
  }
  return computed(std::move(all));
}

// The clock.

QueryValue current_timestamp(const Call& call) { return computed(call.now.time_since_epoch().count() * 1000); }
QueryValue current_ticks(const Call& call) { return computed(call.now.time_since_epoch().count() * 10'000'000); }
QueryValue current_date_time(const Call& call) {
  std::string date = date_text(call.now);
  date.insert(date.size() - 1, ".0000000");
  return text(std::move(date), call.work);
}

constexpr std::size_t any = 100;

constexpr auto functions = std::to_array<QueryFunction>({
    {"ABS", 1, 1, computed_number<absolute>},
    {"ARRAY_CONCAT", 2, any, array_concat},
    {"ARRAY_CONTAINS", 2, 3, array_contains},
    {"ARRAY_LENGTH", 1, 1, array_length},
    {"CEILING", 1, 1, computed_number<ceiling>},
    {"CONCAT", 2, any, concat},
    {"CONTAINS", 2, 3, text_test<contains>},
    {"ENDSWITH", 2, 3, text_test<ends_with>},
    {"FLOOR", 1, 1, computed_number<floor_of>},
    {"GetCurrentDateTime", 0, 0, current_date_time},
    {"GetCurrentDateTimeStatic", 0, 0, current_date_time},
    {"GetCurrentTicks", 0, 0, current_ticks},
    {"GetCurrentTicksStatic", 0, 0, current_ticks},
    {"GetCurrentTimestamp", 0, 0, current_timestamp},
    {"GetCurrentTimestampStatic", 0, 0, current_timestamp},
    {"INDEX_OF", 2, 3, index_of},
    {"IS_ARRAY", 1, 1, type_test<[](const json::value& value) { return value.is_array(); }>},
    {"IS_BOOL", 1, 1, type_test<[](const json::value& value) { return value.is_bool(); }>},
    {"IS_DEFINED", 1, 1, type_test<[](const json::value&) { return true; }>},
    {"IS_INTEGER", 1, 1, type_test<is_integer>},
    {"IS_NULL", 1, 1, type_test<[](const json::value& value) { return value.is_null(); }>},
    {"IS_NUMBER", 1, 1, type_test<[](const json::value& value) { return value.is_number(); }>},
    {"IS_OBJECT", 1, 1, type_test<[](const json::value& value) { return value.is_object(); }>},
    {"IS_PRIMITIVE", 1, 1, type_test<[](const json::value& value) { return value.is_primitive(); }>},
    {"IS_STRING", 1, 1, type_test<[](const json::value& value) { return value.is_string(); }>},
    {"LEFT", 2, 2, left},
    {"LENGTH", 1, 1, length},
    {"LOWER", 1, 1, changed_text<lower>},
    {"LTRIM", 1, 1, changed_text<left_trimmed>},
    {"POWER", 2, 2, power},
    {"REPLACE", 3, 3, replace},
    {"REVERSE", 1, 1, changed_text<reversed>},
    {"RIGHT", 2, 2, right},
    {"ROUND", 1, 1, computed_number<rounded>},
    {"RTRIM", 1, 1, changed_text<right_trimmed>},
    {"SIGN", 1, 1, computed_number<sign>},
    {"SQRT", 1, 1, computed_number<root>},
    {"SQUARE", 1, 1, computed_number<square>},
    {"STARTSWITH", 2, 3, text_test<starts_with>},
    {"STRINGEQUALS", 2, 3, text_test<is_equal_text>},
    {"SUBSTRING", 3, 3, substring},
    {"TOSTRING", 1, 1, to_text},
    {"TRIM", 1, 1, changed_text<trimmed_text>},
    {"TRUNC", 1, 1, computed_number<truncated>},
    {"UPPER", 1, 1, changed_text<upper>},
});

}  // namespace

std::span<const QueryFunction> query_functions() { return functions; }

}  // namespace mayfly::serve
