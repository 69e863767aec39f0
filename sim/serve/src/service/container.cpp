#include "mayfly/serve/service/container.hpp"

#include <algorithm>
#include <array>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "mayfly/rest/lower_case.hpp"
#include "mayfly/serve/message/message.hpp"
#include "mayfly/serve/service/item_text.hpp"

namespace mayfly::serve {

namespace json = boost::json;

namespace {

bool is_system_property(std::string_view name) { return name.starts_with('_'); }

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), rest::lower_case);
  return result;
}

Indexing parse_indexing(const json::value& mode) {
  const std::string name = mode.is_string() ? lower(mode.get_string()) : "";
  if (name == "consistent") return Indexing::consistent;
  if (name == "lazy") return Indexing::lazy;
  if (name == "none") return Indexing::none;
  throw Refusal(
      400, fmt::format("The indexing mode {} is invalid: it must be consistent, lazy or none.", json::serialize(mode)));
}

/// The policy as clients read it, including what they left out.
json::object whole_policy(const json::value* given) {
  const bool is_given = given && !given->is_null();
  if (is_given && !given->is_object()) throw Refusal(400, "The indexingPolicy must be an object.");
  json::object policy = is_given ? given->get_object() : json::object();
  if (!policy.contains("indexingMode")) policy["indexingMode"] = "consistent";
  const Indexing indexing = parse_indexing(policy["indexingMode"]);
  const bool is_none = indexing == Indexing::none;
  policy["indexingMode"] = is_none ? "none" : indexing == Indexing::lazy ? "lazy" : "consistent";
  if (!policy.contains("automatic")) policy["automatic"] = !is_none;
  if (!policy.contains("includedPaths"))
    policy["includedPaths"] = is_none ? json::array() : json::array{json::object{{"path", "/*"}}};
  if (!policy.contains("excludedPaths")) policy["excludedPaths"] = json::array();
  return policy;
}

void check_id(std::string_view id, std::size_t most_bytes) {
  if (id.empty()) throw Refusal(400, "The id is empty.");
  if (id.size() > most_bytes)
    throw Refusal(400, fmt::format("The id has {} bytes; at most {} are allowed.", id.size(), most_bytes));
  const auto odd = id.find_first_of("/\\?#");
  if (odd != std::string_view::npos) throw Refusal(400, fmt::format("The id must not contain '{}'.", id[odd]));
}

}  // namespace

std::string id_in(const json::object& body, std::size_t most_bytes) {
  const json::value* id = body.if_contains("id");
  if (!id) throw Refusal(400, "The required property 'id' is missing.");
  if (!id->is_string()) throw Refusal(400, fmt::format("The id must be text, got {}.", json::serialize(*id)));
  const std::string text(std::string_view(id->get_string()));
  check_id(text, most_bytes);
  return text;
}

TtlField ttl_field(const json::value* value) {
  if (!value) return Absent{};
  boost::system::error_code problem;
  const auto number = value->to_number<std::int64_t>(problem);  // 5.0 is 5, and 1.5 is not a whole number (T3)
  if (!problem && (number == -1 || (number >= 1 && number <= largest_ttl))) return number;
  const std::string shown =
      value->is_string() ? std::string(std::string_view(value->get_string())) : json::serialize(*value);
  throw Refusal(400,
                fmt::format("The input ttl '{}' is invalid. Ensure to provide a nonzero positive integer less than "
                            "or equal to '{}', or '-1' which means never expire.",
                            shown.substr(0, 100), largest_ttl));
}

DefaultTtl default_of(const Definition& settings) {
  const auto* number = std::get_if<std::int64_t>(&settings.default_ttl);
  if (!number) return Off{};
  if (*number < 0) return Never{};
  return Seconds{*number};
}

ContainerDefinition::ContainerDefinition(const json::object& body, For purpose)
    : id(id_in(body, most_id_bytes)),
      key(body.if_contains("partitionKey")),
      unique_keys(body.if_contains("uniqueKeyPolicy")) {
  for (const auto& [name, value] : body)
    if (!is_system_property(name)) shown.emplace(name, value);
  if (key.is_absent()) shown["partitionKey"] = {{"paths", {"/_partitionKey"}}, {"kind", "Hash"}, {"version", 2}};
  shown["indexingPolicy"] = whole_policy(body.if_contains("indexingPolicy"));
  settings.indexing = parse_indexing(shown["indexingPolicy"].at("indexingMode"));
  const json::value* given = body.if_contains("defaultTtl");
  // Clients switch TTL off by null in a replace; in a creation the service rejects null.
  if (given && given->is_null() && purpose == For::replacing) {
    given = nullptr;
    shown.erase("defaultTtl");
  }
  settings.default_ttl = ttl_field(given);
  if (const auto* number = std::get_if<std::int64_t>(&settings.default_ttl)) shown["defaultTtl"] = *number;
  if (given && settings.indexing == Indexing::none)
    throw Refusal(400, "Indexing mode value cannot be 'none' when 'defaultTtl' is specified in the collection");
}

json::object to_json(const Container& container) {
  json::object object = container.shown;
  object["_rid"] = container.rid_text;
  object["_ts"] = container.written.ts.time_since_epoch().count();
  object["_self"] = container.link;
  object["_etag"] = etag_of(container.written.version);
  for (const auto* below : {"docs", "sprocs", "triggers", "udfs", "conflicts"})
    object[std::string("_") + below] = std::string(below) + "/";
  return object;
}

json::object to_json(const Database& database) {
  return {{"id", database.id},
          {"_rid", database.rid_text},
          {"_self", "dbs/" + database.rid_text + "/"},
          {"_etag", etag_of(database.written.version)},
          {"_colls", "colls/"},
          {"_users", "users/"},
          {"_ts", database.written.ts.time_since_epoch().count()}};
}

}  // namespace mayfly::serve
