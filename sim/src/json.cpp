#include "mayfly/sim/json.hpp"

#include <array>
#include <cmath>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace mayfly {

namespace {

namespace json = boost::json;

constexpr std::uint64_t largest_whole_number = 9'007'199'254'740'991;  // what every JSON reader keeps exact
constexpr std::array<std::string_view, 3> indexing_names{"consistent", "lazy", "none"};

std::string shortened(const json::value& value) {
  std::string text = json::serialize(value);
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  return text;
}

[[noreturn]] void reject(std::string_view demand, const json::value& value) {
  throw InputError(fmt::format("must be {}, got {}", demand, shortened(value)));
}

// A JSON number is whole by its value: 5.0 is 5.
std::optional<std::int64_t> whole_number(const json::value& value) {
  if (value.is_int64()) return value.get_int64();
  if (!value.is_double()) return std::nullopt;
  const double number = value.get_double();
  const bool is_exact = std::abs(number) <= static_cast<double>(largest_whole_number) && std::trunc(number) == number;
  return is_exact ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
}

std::int64_t number_up_to(std::int64_t largest, const json::value& value) {
  const auto number = whole_number(value);
  if (!number || *number < 0 || *number > largest) reject(fmt::format("a whole number 0..{}", largest), value);
  return *number;
}

// Each type of field, from JSON and to JSON.

void from_json(const json::value& value, std::string& out) {
  if (!value.is_string()) reject("a string", value);
  out = value.get_string();
}
json::value field_json(const std::string& field) { return json::value(json::string(field)); }

void from_json(const json::value& value, bool& out) {
  if (!value.is_bool()) reject("true or false", value);
  out = value.get_bool();
}
json::value field_json(bool field) { return field; }

void from_json(const json::value& value, Seconds& out) {
  out = Seconds{number_up_to(latest_instant.time_since_epoch().count(), value)};
}
json::value field_json(Seconds field) { return field.count(); }

void from_json(const json::value& value, Instant& out) {
  out = Instant{Seconds{number_up_to(latest_instant.time_since_epoch().count(), value)}};
}
json::value field_json(Instant field) { return field.time_since_epoch().count(); }

void from_json(const json::value& value, std::uint64_t& out) {
  out = static_cast<std::uint64_t>(number_up_to(largest_whole_number, value));
}
void from_json(const json::value& value, Budget& out) { from_json(value, out.units); }
json::value field_json(std::uint64_t field) { return field; }
json::value field_json(Budget field) { return field.units; }

void from_json(const json::value& value, Indexing& out) {
  for (std::size_t i = 0; i < indexing_names.size(); ++i)
    if (value.is_string() && value.get_string() == indexing_names[i]) {
      out = static_cast<Indexing>(i);
      return;
    }
  reject(R"("consistent", "lazy" or "none")", value);
}
json::value field_json(Indexing field) { return json::value(indexing_names[static_cast<std::size_t>(field)]); }

// Whether a request's ttl is valid is for the stores to say, so every JSON value can be read.
void from_json(const json::value& value, TtlField& out) {
  if (value.is_double() && !std::isfinite(value.get_double())) throw InputError("is a number beyond all bounds");
  const auto number = whole_number(value);
  if (number)
    out = *number;
  else if (value.is_null())
    out = Null{};
  else
    out = OtherJson{json::serialize(value)};
}
json::value field_json(const TtlField& field) {
  if (const auto* number = std::get_if<std::int64_t>(&field)) return *number;
  if (const auto* other = std::get_if<OtherJson>(&field)) return json::parse(other->text);
  return nullptr;
}

// In an answer a ttl has to be valid, and null says that there is none.
template <class Setting>
void from_answer(const json::value& value, Setting& out) {
  const auto number = whole_number(value);
  if (value.is_null())
    out = {};
  else if (number == -1)
    out = Never{};
  else if (number && *number >= 1 && *number <= largest_ttl)
    out = Seconds{*number};
  else
    reject(fmt::format("-1 or 1..{}", largest_ttl), value);
}
template <class Setting>
json::value answer_json(const Setting& setting) {
  if (const auto* seconds = std::get_if<Seconds>(&setting)) return seconds->count();
  if (std::holds_alternative<Never>(setting)) return -1;
  return nullptr;
}
void from_json(const json::value& value, Ttl& out) { from_answer(value, out); }
json::value field_json(const Ttl& field) { return answer_json(field); }
void from_json(const json::value& value, DefaultTtl& out) { from_answer(value, out); }
json::value field_json(const DefaultTtl& field) { return answer_json(field); }

void from_json(const json::value& value, Status& out) { out = static_cast<Status>(number_up_to(999, value)); }
json::value field_json(Status field) { return static_cast<int>(field); }

void from_json(const json::value& value, Charge& out) {
  if (!value.is_number()) reject("a number", value);
  out = Charge{value.to_number<double>()};
}
json::value field_json(Charge field) {
  const auto number = whole_number(field.units);
  return number ? json::value(*number) : json::value(field.units);
}

// The fields of an answer, named once, as those of operations are in operation.hpp.
void document_fields(auto& document, auto& field) {
  field.required("partition", document.partition);
  field.required("id", document.id);
  field.required("value", document.value);
  field.required("_ts", document.ts);
  field.optional("ttl", document.ttl);
}

void outcome_fields(auto& outcome, auto& field) {
  field.required("status", outcome.status);
  field.optional("document", outcome.document);
  field.optional("documents", outcome.documents);
  field.optional("default_ttl", outcome.default_ttl);
  field.optional("indexing", outcome.indexing);
  field.optional("now", outcome.now);
  field.optional("purged", outcome.purged);
  field.optional("charge", outcome.charge);
}

void from_json(const json::value& value, Document& out);
json::value field_json(const Document& field);
void from_json(const json::value& value, std::vector<Document>& out);
json::value field_json(const std::vector<Document>& field);

// What may be absent, where it is not: only a field that is there is read or written.
template <class Field>
void from_json(const json::value& value, std::optional<Field>& out) {
  from_json(value, out.emplace());
}
template <class Field>
json::value field_json(const std::optional<Field>& field) {
  return field_json(*field);
}

/// Takes fields out of an object.
class FieldReader {
 public:
  enum class Missing { is_an_error, is_fine };

  FieldReader(json::object& object, Missing missing) : object_(object), missing_(missing) {}

  template <class Field>
  void required(std::string_view name, Field& out) {
    if (missing_ == Missing::is_an_error && !object_.contains(name))
      throw InputError(fmt::format("\"{}\" is missing", name));
    optional(name, out);
  }

  template <class Field>
  void optional(std::string_view name, Field& out) {
    const auto found = object_.find(name);
    if (found == object_.end()) return;
    try {
      from_json(found->value(), out);
    } catch (const InputError& error) {
      const std::string_view what = error.what();
      throw InputError(fmt::format("\"{}\"{} {}", name, what.starts_with('"') ? ":" : "", what));
    }
    object_.erase(found);
  }

 private:
  json::object& object_;
  Missing missing_;
};

class FieldWriter {
 public:
  explicit FieldWriter(json::object& object) : object_(object) {}

  template <class Field>
  void required(std::string_view name, const Field& field) {
    object_[name] = field_json(field);
  }

  template <class Field>
  void optional(std::string_view name, const Field& field) {
    if (!(field == Field{})) required(name, field);
  }

 private:
  json::object& object_;
};

void expect_nothing_left(const json::object& object) {
  if (!object.empty()) throw InputError(fmt::format("unknown field {}", shortened(json::value(object.begin()->key()))));
}

void from_json(const json::value& value, Document& out) {
  if (!value.is_object()) reject("a document", value);
  json::object object = value.get_object();
  FieldReader reader(object, FieldReader::Missing::is_an_error);
  document_fields(out, reader);
  expect_nothing_left(object);
}
json::value field_json(const Document& field) {
  json::object object;
  FieldWriter writer(object);
  document_fields(field, writer);
  return object;
}

void from_json(const json::value& value, std::vector<Document>& out) {
  if (!value.is_array()) reject("a list of documents", value);
  for (const auto& element : value.get_array()) from_json(element, out.emplace_back());
}
json::value field_json(const std::vector<Document>& field) {
  json::array documents;
  for (const auto& document : field) documents.push_back(field_json(document));
  return documents;
}

template <class Kind>
Kind parse_fields(json::object& object) {
  Kind request;
  FieldReader reader(object, FieldReader::Missing::is_an_error);
  try {
    Kind::fields(request, reader);
    expect_nothing_left(object);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", Kind::keyword, error.what()));
  }
  return request;
}

template <std::size_t I = 0>
Request parse_as(std::string_view keyword, json::object& object) {
  if constexpr (I == std::variant_size_v<Operation>) {
    throw InputError(fmt::format("unknown operation {}", shortened(json::value(keyword))));
  } else {
    using Kind = std::variant_alternative_t<I, Operation>;
    if (keyword == Kind::keyword) return Operation{parse_fields<Kind>(object)};
    return parse_as<I + 1>(keyword, object);
  }
}

template <class Kind>
json::object request_json(const Kind& request) {
  json::object object;
  object["op"] = Kind::keyword;
  FieldWriter writer(object);
  Kind::fields(request, writer);
  return object;
}

// The parser keeps the last of several fields of one name and says nothing. Each field has a colon, so they are missing
// when counted.

std::size_t colons_of(std::string_view text) {
  std::size_t colons = 0;
  bool is_in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') is_in_string = !is_in_string;
    if (text[i] == '\\') ++i;  // only strings have it
    if (text[i] == ':' && !is_in_string) ++colons;
  }
  return colons;
}

std::size_t fields_of(const json::value& value) {
  std::size_t fields = 0;
  if (const auto* object = value.if_object())
    for (const auto& field : *object) fields += 1 + fields_of(field.value());
  if (const auto* array = value.if_array())
    for (const auto& element : *array) fields += fields_of(element);
  return fields;
}

}  // namespace

json::object parse_object(std::string_view line) {
  json::error_code error;
  json::value value = json::parse(line, error);
  if (error) throw InputError(fmt::format("not JSON: {}", error.message()));
  if (!value.is_object()) reject("a JSON object", value);
  if (colons_of(line) != fields_of(value)) throw InputError("a field is there twice");
  return std::move(value.get_object());
}

Request parse_request(json::object object) {
  std::string keyword;
  FieldReader reader(object, FieldReader::Missing::is_an_error);
  reader.required("op", keyword);
  if (keyword == Reset::keyword) return parse_fields<Reset>(object);
  if (keyword == Hello::keyword) return parse_fields<Hello>(object);
  return parse_as(keyword, object);
}

Outcome parse_outcome(json::object answer) {
  Outcome outcome;
  answer.erase("error");  // for people, never compared
  FieldReader reader(answer, FieldReader::Missing::is_fine);
  outcome_fields(outcome, reader);
  expect_nothing_left(answer);
  return outcome;
}

json::object to_json(const Operation& operation) {
  return std::visit([](const auto& request) { return request_json(request); }, operation);
}

json::object to_json(const Reset& reset) { return request_json(reset); }

json::object to_json(const Outcome& outcome) {
  json::object object;
  FieldWriter writer(object);
  outcome_fields(outcome, writer);
  return object;
}

std::string to_line(const json::object& object) { return json::serialize(object); }

}  // namespace mayfly
