#include "mayfly/sim/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include <boost/container/static_vector.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

namespace mayfly {

namespace {

namespace json = boost::json;

constexpr std::uint64_t largest_whole_number = 9'007'199'254'740'991;  // the largest that every JSON reader keeps exact
constexpr std::array<std::string_view, 3> indexing_names{"consistent", "lazy", "none"};

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

// The parser reads a number that is too large for a double as infinity, which JSON cannot express.
bool is_bounded(const json::value& value) {
  if (const auto* object = value.if_object())
    return std::all_of(object->begin(), object->end(), [](const auto& field) { return is_bounded(field.value()); });
  if (const auto* array = value.if_array()) return std::all_of(array->begin(), array->end(), is_bounded);
  return !value.is_double() || std::isfinite(value.get_double());
}

// Each type of field, read from JSON and written to JSON.

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

// Whole numbers too large for the parser's integers. They are written with all their digits, because a store may read
// them as whole numbers and cut them to 64 bits.
bool is_beyond_64_bits(const json::value& value) {
  return value.is_double() && std::abs(value.get_double()) >= 0x1p63 && std::abs(value.get_double()) < 1e21;
}

// The stores decide whether a request's ttl is valid, so any JSON value can be read.
void from_json(const json::value& value, TtlField& out) {
  if (!is_bounded(value)) throw InputError("is a number beyond all bounds");
  if (value.is_int64())
    out = value.get_int64();
  else if (value.is_null())
    out = Null{};
  else
    out = OtherJson{is_beyond_64_bits(value) ? fmt::format("{:.0f}", value.get_double()) : json::serialize(value)};
}
json::value field_json(const TtlField& field) {
  if (const auto* number = std::get_if<std::int64_t>(&field)) return *number;
  if (const auto* other = std::get_if<OtherJson>(&field)) return json::parse(other->text);
  return nullptr;
}

// In an answer null means that there is no ttl. A ttl that a trace expects must be valid.
template <class Setting>
void setting_from_json(const json::value& value, Setting& out, std::int64_t least, std::int64_t largest) {
  const auto number = whole_number(value);
  if (value.is_null())
    out = {};
  else if (number == -1)
    out = Never{};
  else if (number && *number >= least && *number <= largest)
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
void from_json(const json::value& value, Ttl& out) { setting_from_json(value, out, 1, largest_ttl); }
json::value field_json(const Ttl& field) { return answer_json(field); }
void from_json(const json::value& value, DefaultTtl& out) { setting_from_json(value, out, 1, largest_ttl); }
json::value field_json(const DefaultTtl& field) { return answer_json(field); }

void from_json(const json::value& value, Status& out) { out = static_cast<Status>(number_up_to(999, value)); }
json::value field_json(Status field) { return static_cast<int>(field); }

void from_json(const json::value& value, Charge& out) {
  if (!value.is_number() || !is_bounded(value)) reject("a number", value);
  out = Charge{value.to_number<double>()};
}
json::value field_json(Charge field) {
  const auto number = whole_number(field.units);
  return number ? json::value(*number) : json::value(field.units);
}

// The fields of an answer, named once, like those of operations in operation.hpp.
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
  field.optional("count", outcome.count);
  field.optional("held", outcome.held);
  field.optional("charge", outcome.charge);
}

void from_json(const json::value& value, Document& out);
json::value field_json(const Document& field);
void from_json(const json::value& value, std::vector<Document>& out);
json::value field_json(const std::vector<Document>& field);

// An optional field that is present: absent fields are neither read nor written.
template <class Field>
void from_json(const json::value& value, std::optional<Field>& out) {
  from_json(value, out.emplace());
}
template <class Field>
json::value field_json(const std::optional<Field>& field) {
  return field_json(*field);
}

// A field of a store's answer is stored, valid or not, if its type has room for it. Otherwise it is malformed.
template <class Field>
void from_answer(const json::value& value, Field& out) {
  from_json(value, out);
}
template <class Setting>
void any_setting(const json::value& value, Setting& out) {
  using Limits = std::numeric_limits<std::int64_t>;
  setting_from_json(value, out, Limits::min(), Limits::max());
}
void from_answer(const json::value& value, Ttl& out) { any_setting(value, out); }
void from_answer(const json::value& value, DefaultTtl& out) { any_setting(value, out); }
void from_answer(const json::value& value, Document& out);
void from_answer(const json::value& value, std::vector<Document>& out);
template <class Field>
void from_answer(const json::value& value, std::optional<Field>& out) {
  from_answer(value, out.emplace());
}

/// Reads fields of an object, and keeps track of those not yet read. An invalid field is an error; or it is stored as
/// malformed, if the caller has a place for that.
class FieldReader {
 public:
  enum class Missing { is_an_error, is_fine };

  explicit FieldReader(const json::object& object, Missing missing = Missing::is_an_error)
      : object_(object), missing_(missing) {}
  FieldReader(const json::object& object, MalformedFields& malformed) : object_(object), malformed_(&malformed) {}

  template <class Field>
  void required(std::string_view name, Field& out) {
    if (take(name, out) || missing_ == Missing::is_fine) return;
    if (!malformed_) throw InputError(fmt::format("\"{}\" is missing", name));
    keep(name, nullptr, out);
  }

  template <class Field>
  void optional(std::string_view name, Field& out) {
    take(name, out);
  }

  void ignore(std::string_view name) {
    if (find(name)) read_.push_back(name);
  }

  void expect_nothing_left() {
    if (read_.size() == object_.size()) return;
    for (const auto& field : object_) {
      if (std::find(read_.begin(), read_.end(), field.key()) != read_.end()) continue;
      if (!malformed_) throw InputError(fmt::format("unknown field {}", shortened(json::value(field.key()))));
      keep(field.key(), &field.value());
    }
  }

 private:
  template <class Field>
  bool take(std::string_view name, Field& out) {
    const json::value* found = find(name);
    if (!found) return false;
    read_.push_back(name);
    try {
      malformed_ ? from_answer(*found, out) : from_json(*found, out);
    } catch (const InputError& error) {
      if (malformed_) return keep(name, found, out);
      const std::string_view what = error.what();
      throw InputError(fmt::format("\"{}\"{} {}", name, what.starts_with('"') ? ":" : "", what));
    }
    return true;
  }

  /// Leaves an invalid field empty; an empty `Status` is no status.
  template <class Field>
  bool keep(std::string_view name, const json::value* value, Field& out) {
    out = Field{};
    return keep(name, value);
  }
  bool keep(std::string_view name, const json::value* value) {
    if (value && !is_bounded(*value)) throw InputError("has a number beyond all bounds");
    malformed_->add({std::string(name), value ? std::optional(OtherJson{json::serialize(*value)}) : std::nullopt});
    return true;
  }

  // Most writers keep the field order of this program, so try the field at the current position first.
  const json::value* find(std::string_view name) const {
    if (read_.size() == object_.size()) return nullptr;
    const auto* next = object_.begin() + read_.size();
    return next->key() == name ? &next->value() : object_.if_contains(name);
  }

  const json::object& object_;
  Missing missing_ = Missing::is_an_error;
  MalformedFields* malformed_ = nullptr;
  boost::container::static_vector<std::string_view, 16> read_;
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

/// Adds the malformed fields of an answer to its object, as they were received.
void restore(const MalformedFields& malformed, json::object& object) {
  for (const auto& [name, value] : malformed) {
    if (value)
      object[name] = json::parse(value->text);
    else
      object.stable_erase(name);
  }
}

void read_document(FieldReader reader, Document& out) {
  document_fields(out, reader);
  reader.expect_nothing_left();
}
const json::object& document_object(const json::value& value) {
  if (!value.is_object()) reject("a document", value);
  return value.get_object();
}
void from_json(const json::value& value, Document& out) { read_document(FieldReader(document_object(value)), out); }
void from_answer(const json::value& value, Document& out) {
  read_document(FieldReader(document_object(value), out.malformed), out);
}
json::value field_json(const Document& field) {
  json::object object;
  FieldWriter writer(object);
  document_fields(field, writer);
  restore(field.malformed, object);
  return object;
}

const json::array& document_list(const json::value& value) {
  if (!value.is_array()) reject("a list of documents", value);
  return value.get_array();
}
void from_json(const json::value& value, std::vector<Document>& out) {
  for (const auto& element : document_list(value)) from_json(element, out.emplace_back());
}
void from_answer(const json::value& value, std::vector<Document>& out) {
  for (const auto& element : document_list(value)) from_answer(element, out.emplace_back());
}
json::value field_json(const std::vector<Document>& field) {
  json::array documents;
  for (const auto& document : field) documents.push_back(field_json(document));
  return documents;
}

template <class Kind>
Kind parse_fields(FieldReader& reader) {
  Kind request;
  try {
    Kind::fields(request, reader);
    reader.expect_nothing_left();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", Kind::keyword, error.what()));
  }
  return request;
}

template <std::size_t I = 0>
Request parse_as(std::string_view keyword, FieldReader& reader) {
  if constexpr (I == std::variant_size_v<Operation>) {
    throw InputError(fmt::format("unknown operation {}", shortened(json::value(keyword))));
  } else {
    using Kind = std::variant_alternative_t<I, Operation>;
    if (keyword == Kind::keyword) return Operation{parse_fields<Kind>(reader)};
    return parse_as<I + 1>(keyword, reader);
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

/// Whether JSON needs no escapes for this text.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c != '"' && c != '\\' && c != '\x7f'; });
}

/// Appends to a text through a buffer, because the pieces are short and a call for each would be slow.
class Pieces {
 public:
  explicit Pieces(std::string& text) : text_(text) {}
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;
  ~Pieces() { flush(); }

  void put(char c) { *room_for(1) = c; }

  void put(std::string_view text) {
    if (text.size() <= buffer_.size()) {
      std::memcpy(room_for(text.size()), text.data(), text.size());
    } else {
      flush();
      text_.append(text);
    }
  }

  void put_number(std::int64_t number) {
    constexpr std::size_t longest = 20;
    char* const begin = room_for(longest);
    used_ -= longest - static_cast<std::size_t>(std::to_chars(begin, begin + longest, number).ptr - begin);
  }

  /// Requires that the text is plain.
  void put_quoted(std::string_view text) {
    put('"');
    put(text);
    put('"');
  }

 private:
  char* room_for(std::size_t count) {
    if (buffer_.size() - used_ < count) flush();
    return buffer_.data() + std::exchange(used_, used_ + count);
  }

  [[gnu::cold]] void flush() { text_.append(buffer_.data(), std::exchange(used_, 0)); }

  std::string& text_;
  std::size_t used_ = 0;
  std::array<char, 512> buffer_;
};

/// Writes an object as text, field by field, as FieldWriter fills a JSON object.
class TextWriter {
 public:
  explicit TextWriter(std::string& text) : pieces_(text) {}

  template <class Field>
  void required(std::string_view name, const Field& field) {
    if (!std::exchange(is_first_, false)) pieces_.put(',');
    pieces_.put_quoted(name);
    pieces_.put(':');
    value(field);
  }

  template <class Field>
  void optional(std::string_view name, const Field& field) {
    if (!(field == Field{})) required(name, field);
  }

  template <class Kind>
  void request(const Kind& request) {
    pieces_.put(R"({"op":)");
    pieces_.put_quoted(Kind::keyword);
    is_first_ = false;
    Kind::fields(request, *this);
    pieces_.put('}');
  }

  void outcome(const Outcome& outcome) {
    if (!outcome.malformed.empty()) return pieces_.put(to_line(to_json(outcome)));
    object([&] { outcome_fields(outcome, *this); });
  }

 private:
  void object(const auto& write_fields) {
    pieces_.put('{');
    is_first_ = true;
    write_fields();
    is_first_ = false;
    pieces_.put('}');
  }

  void value(const auto& field) { pieces_.put(json::serialize(field_json(field))); }
  void value(Seconds field) { pieces_.put_number(field.count()); }
  void value(Instant field) { pieces_.put_number(field.time_since_epoch().count()); }
  void value(Status field) { pieces_.put_number(static_cast<int>(field)); }
  void value(const TtlField& field) {
    if (const auto* seconds = std::get_if<std::int64_t>(&field)) return pieces_.put_number(*seconds);
    const auto* other = std::get_if<OtherJson>(&field);
    pieces_.put(other ? std::string_view(other->text) : "null");
  }
  void value(const Ttl& field) {
    const auto* seconds = std::get_if<Seconds>(&field);
    pieces_.put_number(seconds ? seconds->count() : -1);  // an inherited ttl is not written
  }
  void value(const std::string& field) {
    is_plain(field) ? pieces_.put_quoted(field) : pieces_.put(json::serialize(json::string_view(field)));
  }
  void value(const Document& field) {
    if (!field.malformed.empty()) return pieces_.put(json::serialize(field_json(field)));
    object([&] { document_fields(field, *this); });
  }
  void value(const std::vector<Document>& field) {
    pieces_.put('[');
    for (const auto& document : field) {
      if (&document != &field.front()) pieces_.put(',');
      value(document);
    }
    pieces_.put(']');
  }
  template <class Field>
  void value(const std::optional<Field>& field) {
    value(*field);
  }

  Pieces pieces_;
  bool is_first_ = true;
};

// The parser silently keeps the last of several fields of one name. Each field has a colon, so counting colons finds
// the missing fields.

std::size_t colons_of(std::string_view text) {
  std::size_t colons = 0;
  bool is_in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') is_in_string = !is_in_string;
    if (text[i] == '\\') ++i;  // backslashes occur only in strings
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
  if (colons_of(line) != fields_of(value)) throw InputError("a field occurs twice");
  return std::move(value.get_object());
}

Request parse_request(const json::object& object) {
  std::string keyword;
  FieldReader reader(object);
  reader.required("op", keyword);
  if (keyword == Reset::keyword) return parse_fields<Reset>(reader);
  if (keyword == Hello::keyword) return parse_fields<Hello>(reader);
  return parse_as(keyword, reader);
}

namespace {

void read_outcome(FieldReader reader, Outcome& out) {
  outcome_fields(out, reader);
  reader.ignore("error");  // a message for people, never compared
  reader.expect_nothing_left();
}

}  // namespace

Outcome parse_outcome(const json::object& answer) {
  Outcome outcome;
  read_outcome(FieldReader(answer, FieldReader::Missing::is_fine), outcome);
  return outcome;
}

Outcome parse_answer(const json::value& answer) {
  if (!answer.is_object()) reject("a JSON object", answer);
  Outcome outcome;
  read_outcome(FieldReader(answer.get_object(), outcome.malformed), outcome);
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
  restore(outcome.malformed, object);
  return object;
}

std::string to_line(const json::object& object) { return json::serialize(object); }

void append_line(std::string& text, const Request& request) {
  TextWriter writer(text);
  if (const auto* step = std::get_if<Step>(&request))
    std::visit([&](const auto& o) { writer.request(o); }, step->operation);
  else if (const auto* reset = std::get_if<Reset>(&request))
    writer.request(*reset);
  else
    writer.request(std::get<Hello>(request));
}

void append_line(std::string& text, const Outcome& outcome) { TextWriter(text).outcome(outcome); }

std::string shortened(const json::value& value) {
  std::string text = json::serialize(value);
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  return text;
}

}  // namespace mayfly
