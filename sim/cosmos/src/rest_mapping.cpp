#include "mayfly/cosmos/rest_mapping.hpp"

#include <charconv>
#include <cmath>
#include <concepts>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "mayfly/model/expiry.hpp"
#include "mayfly/rest/percent.hpp"
#include "mayfly/sim/json.hpp"
#include "mayfly/sim/preview.hpp"
#include "mayfly/sim/utf8.hpp"

namespace mayfly::cosmos {

namespace {

namespace json = boost::json;

json::value field_value(const TtlField& field) {
  if (const auto* number = std::get_if<std::int64_t>(&field)) return *number;
  if (const auto* other = std::get_if<OtherJson>(&field)) return json::parse(other->text);
  return nullptr;
}

bool is_absent(const TtlField& field) { return std::holds_alternative<Absent>(field); }

std::string_view mode_name(Indexing indexing) {
  switch (indexing) {
    case Indexing::lazy:
      return "lazy";
    case Indexing::none:
      return "none";
    case Indexing::consistent:
      break;
  }
  return "consistent";
}

// In the first version of a partition key, only the first hundred bytes of a value count.
// When a container is replaced, a null switches TTL off. When it is created, the service rejects null, and clients
// leave the field out.
json::object definition_body(const std::string& id, const Definition& definition, bool is_new) {
  json::object body{
      {"id", id},
      {"partitionKey", {{"paths", {"/partition"}}, {"kind", "Hash"}, {"version", 2}}},
      {"indexingPolicy",
       {{"indexingMode", mode_name(definition.indexing)}, {"automatic", definition.indexing != Indexing::none}}}};
  const bool is_null = std::holds_alternative<Null>(definition.default_ttl);
  if (!is_absent(definition.default_ttl) && !(is_null && is_new))
    body["defaultTtl"] = field_value(definition.default_ttl);
  return body;
}

json::object item_body(const DocumentKey& key, const Content& content) {
  json::object body{{"id", key.id}, {"partition", key.partition}, {"value", content.value}};
  if (!is_absent(content.ttl)) body["ttl"] = field_value(content.ttl);
  return body;
}

// Only a property that is there can be removed, and the ttl may be absent: so it is set first. A patch that both sets
// and removes the ttl becomes an operation that does not exist, which every server has to reject.
json::object patch_body(const Patch& patch) {
  json::array operations;
  const auto set = [&](const char* path, json::value value) {
    operations.push_back({{"op", "set"}, {"path", path}, {"value", std::move(value)}});
  };
  if (patch.value) set("/value", json::value(*patch.value));
  if (!is_absent(patch.ttl)) set("/ttl", field_value(patch.ttl));
  if (!is_absent(patch.ttl) && patch.remove_ttl) {
    operations.push_back({{"op", "set-and-remove"}, {"path", "/ttl"}});
  } else if (patch.remove_ttl) {
    set("/ttl", 1);
    operations.push_back({{"op", "remove"}, {"path", "/ttl"}});
  }
  return {{"operations", std::move(operations)}};
}

/// The code point of one character in UTF-8.
std::uint32_t code_point(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(character[i])); };
  std::uint32_t point = byte(0) & (0xFFU >> (character.size() == 1 ? 0 : character.size() + 1));
  for (std::size_t i = 1; i < character.size(); ++i) point = point << 6 | (byte(i) & 0x3FU);
  return point;
}

/// JSON that can stand in a header field: a character that cannot is written as \u00e9, or as two of these.
std::string ascii_json(const json::value& value) {
  const std::string utf8 = json::serialize(value);
  std::string text;
  for (const std::string_view character : characters_of(utf8)) {
    const std::uint32_t point = code_point(character);
    if (point < 0x7F)
      text += character;
    else if (point < 0x10000)
      text += fmt::format("\\u{:04x}", point);
    else
      text += fmt::format("\\u{:04x}\\u{:04x}", 0xD7C0 + (point >> 10), 0xDC00 + (point & 0x3FF));
  }
  return text;
}

HttpFields partition_field(const std::string& partition) {
  return {{"x-ms-documentdb-partitionkey", ascii_json(json::array{json::value(partition)})}};
}

/// Makes the request of each kind of operation.
struct Say {
  const CasePlace& place;

  std::string containers() const { return place.path() + "/colls"; }
  std::string container(const std::string& collection) const {
    return containers() + "/" + rest::percent_encoded(place.container(collection));
  }
  std::string items(const std::string& collection) const { return container(collection) + "/docs"; }
  std::string item(const DocumentKey& key) const { return items(key.collection) + "/" + rest::percent_encoded(key.id); }

  HttpRequest operator()(const CreateCollection& o) const {
    return {
        "POST", containers(), {}, json::serialize(definition_body(place.container(o.collection), o.definition, true))};
  }
  HttpRequest operator()(const ReplaceCollection& o) const {
    return {"PUT",
            container(o.collection),
            {},
            json::serialize(definition_body(place.container(o.collection), o.definition, false))};
  }
  HttpRequest operator()(const ReadCollection& o) const { return {"GET", container(o.collection), {}, {}}; }
  HttpRequest operator()(const DeleteCollection& o) const { return {"DELETE", container(o.collection), {}, {}}; }
  HttpRequest operator()(const Create& o) const {
    return {"POST", items(o.key.collection), partition_field(o.key.partition),
            json::serialize(item_body(o.key, o.content))};
  }
  HttpRequest operator()(const Upsert& o) const {
    HttpRequest request{"POST", items(o.key.collection), partition_field(o.key.partition),
                        json::serialize(item_body(o.key, o.content))};
    request.fields.emplace_back("x-ms-documentdb-is-upsert", "True");
    return request;
  }
  HttpRequest operator()(const Replace& o) const {
    return {"PUT", item(o.key), partition_field(o.key.partition), json::serialize(item_body(o.key, o.content))};
  }
  HttpRequest operator()(const PatchDocument& o) const {
    return {"PATCH", item(o.key), partition_field(o.key.partition), json::serialize(patch_body(o.patch))};
  }
  HttpRequest operator()(const Read& o) const { return {"GET", item(o.key), partition_field(o.key.partition), {}}; }
  HttpRequest operator()(const Delete& o) const {
    return {"DELETE", item(o.key), partition_field(o.key.partition), {}};
  }
  HttpRequest operator()(const Query& o) const { return search(o, R"({"query":"SELECT * FROM c","parameters":[]})"); }
  HttpRequest operator()(const Count& o) const {
    return search(o, R"({"query":"SELECT VALUE COUNT(1) FROM c","parameters":[]})");
  }
  HttpRequest operator()(const auto&) const { throw std::logic_error("this is no request for a container"); }

  HttpRequest search(const FindsDocuments& o, const char* query) const {
    HttpRequest request{"POST", items(o.collection), {}, query};
    if (o.partition)
      request.fields = partition_field(*o.partition);
    else
      request.fields.emplace_back("x-ms-documentdb-query-enablecrosspartition", "True");
    request.fields.emplace_back("x-ms-documentdb-isquery", "True");
    return request;
  }
};

json::value parsed_body(const HttpAnswer& answer) {
  boost::system::error_code error;
  json::value value = json::parse(answer.body, error);
  if (error) throw InputError(fmt::format("answers {} with what is not JSON: {}", answer.status, preview(answer.body)));
  return value;
}

// Translate the parts of a body into the target protocol. They leave malformed parts as they are, for parse_answer.

void copy(const json::object& from, std::string_view name, json::object& to, std::string_view new_name) {
  if (const auto* value = from.if_contains(name)) to[new_name] = *value;
}

json::value document_in(const json::value& item) {
  if (!item.is_object()) return item;
  json::object document;
  for (const std::string_view name : {"partition", "id", "value", "_ts", "ttl"})
    copy(item.get_object(), name, document, name);
  return document;
}

json::value documents_in(const json::value& items) {
  if (!items.is_array()) return items;
  json::array documents;
  for (const auto& item : items.get_array()) documents.push_back(document_in(item));
  return documents;
}

// The service may answer one count for each partition.
json::value sum_of(const json::value& counts) {
  if (!counts.is_array()) return counts;
  std::int64_t sum = 0;
  for (const auto& count : counts.get_array()) {
    boost::system::error_code error;
    sum += count.is_number() ? count.to_number<std::int64_t>(error) : 0;
    if (error || !count.is_number()) return counts;
  }
  return sum;
}

// The service writes Consistent, and reads consistent too.
json::value indexing_in(const json::value& policy) {
  const auto* mode = policy.is_object() ? policy.get_object().if_contains("indexingMode") : nullptr;
  if (!mode) return policy;
  if (!mode->is_string()) return *mode;
  std::string name(mode->get_string());
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return json::value(name);
}

/// Adds the fields of a successful answer, read from its body, for each kind of operation.
struct Understand {
  const HttpAnswer& answer;
  json::object& fields;

  void operator()(const ReadCollection&) const {
    const json::value body = parsed_body(answer);
    if (!body.is_object()) return keep(body);
    copy(body.get_object(), "defaultTtl", fields, "default_ttl");
    if (const auto* policy = body.get_object().if_contains("indexingPolicy")) fields["indexing"] = indexing_in(*policy);
  }
  void operator()(const Query&) const { add_found("documents", documents_in); }
  void operator()(const Count&) const { add_found("count", sum_of); }
  void operator()(const Delete&) const {}
  void operator()(const auto& o) const {
    if constexpr (requires { o.key; }) fields["document"] = document_in(parsed_body(answer));
  }

 private:
  void add_found(std::string_view name, json::value (*read)(const json::value& found)) const {
    const json::value body = parsed_body(answer);
    const auto* found = body.is_object() ? body.get_object().if_contains("Documents") : nullptr;
    if (!found) return keep(body);
    fields[name] = read(*found);
  }

  /// Keeps a body that the protocol has no field for.
  void keep(const json::value& body) const { fields["body"] = body; }
};

/// Whether the rules reject the request in every state of the store.
struct IsInvalid {
  bool operator()(const std::derived_from<DefinesCollection> auto& o) const { return !valid_settings(o.definition); }
  bool operator()(const std::derived_from<WritesDocument> auto& o) const { return !valid_ttl(o.content.ttl); }
  bool operator()(const PatchDocument& o) const { return !is_valid(o.patch); }
  bool operator()(const auto&) const { return false; }
};

}  // namespace

std::string CasePlace::container(const std::string& collection) const {
  return fmt::format("{}-{}", number, collection);
}

Limits service_limits() {
  constexpr std::uint64_t longest_number = 21;  // with the hyphen
  return {.collection_bytes = 255 - longest_number,
          .partition_bytes = 2048,
          .id_bytes = 1023,
          .value_bytes = 300'000,
          .min_bytes = 1,
          .forbidden = "/\\?#"};
}

Limits web_server_limits() {
  Limits limits = service_limits();
  limits.id_bytes = 255;
  for (char control = 0; control < ' '; ++control) limits.forbidden += control;
  limits.forbidden += "\x7f ";
  return limits;
}

HttpRequest request_for(const Operation& operation, const CasePlace& place) {
  HttpRequest request = std::visit(Say{place}, operation);
  if (!request.body.empty())
    request.fields.emplace_back("content-type", search_of(operation) ? "application/query+json" : "application/json");
  return request;
}

std::optional<Charge> charge_in(const HttpAnswer& answer) {
  double units = 0;
  const std::string text = answer.field("x-ms-request-charge");
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), units);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && std::isfinite(units);
  return is_number ? std::optional(Charge{units}) : std::nullopt;
}

Outcome outcome_of(const Operation& operation, const HttpAnswer& answer) {
  json::object fields{{"status", answer.status}};
  if (answer.status >= 200 && answer.status < 300) std::visit(Understand{answer, fields}, operation);
  Outcome outcome = parse_answer(fields);
  outcome.charge = charge_in(answer);
  if (outcome.status == Status::not_found && std::visit(IsInvalid{}, operation)) outcome.status = Status::bad_request;
  return outcome;
}

}  // namespace mayfly::cosmos
