#include "mayfly/serve/service/unsupported.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

namespace mayfly::serve {

namespace json = boost::json;

namespace {

/// What each kind of resource is called.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> missing{{
    {"attachments", "attachments"},
    {"clientencryptionkeys", "client encryption keys"},
    {"conflicts", "conflicts"},
    {"operations", "operations on a whole container, such as deleting all items of a partition key"},
    {"permissions", "permissions"},
    {"sprocs", "stored procedures"},
    {"triggers", "triggers"},
    {"udfs", "user-defined functions"},
    {"users", "users"},
}};

bool is_known(const rest::Address& address, std::size_t i) {
  const std::string& kind = address[i];
  if (i == 0) return kind == "dbs" || kind == "_mayfly" || (kind == "offers" && address.size() <= 2);
  if (address[0] != "dbs") return true;
  if (i == 2) return kind == "colls";
  return i == 4 && (kind == "docs" || (kind == "pkranges" && address.size() == 5));
}

[[noreturn]] void refuse_kind(std::string_view kind) {
  if (kind == "addresses")
    throw Refusal(400,
                  "Direct mode is not supported: let the client connect in gateway mode (in .NET, ConnectionMode = "
                  "ConnectionMode.Gateway).");
  const auto* found =
      std::find_if(missing.begin(), missing.end(), [&](const auto& each) { return each.first == kind; });
  const std::string name = found == missing.end() ? fmt::format("'{}' at this path", kind) : std::string(found->second);
  throw Refusal(501, fmt::format("This server does not have {}.", name));
}

void refuse_setting(const json::object& container, std::string_view name) {
  const json::value* value = container.if_contains(name);
  const bool is_set = value && !value->is_null() && !(value->is_array() && value->get_array().empty());
  if (is_set) throw Refusal(400, fmt::format("The setting {} of a container is not supported.", name));
}

void check_key_definition(const json::object& key) {
  const json::value* paths = key.if_contains("paths");
  const bool is_hierarchical = paths && paths->is_array() && paths->get_array().size() > 1;
  if (const json::value* kind = key.if_contains("kind")) {
    if (*kind != "Hash" && *kind != "Range" && *kind != "MultiHash")
      throw Refusal(400,
                    fmt::format("The kind {} of a partitionKey is not supported: it must be Hash, Range or MultiHash.",
                                json::serialize(*kind)));
    if (is_hierarchical && *kind != "MultiHash")
      throw Refusal(400, "A partitionKey with more than one path must have the kind MultiHash.");
  }
  if (const json::value* version = key.if_contains("version"); version && *version != 1 && *version != 2)
    throw Refusal(400, fmt::format("The version {} of a partitionKey is not supported: it must be 1 or 2.",
                                   json::serialize(*version)));
}

}  // namespace

void refuse_unsupported_resource(const rest::Address& address) {
  for (std::size_t i = 0; i < address.size(); i += 2)
    if (!is_known(address, i)) refuse_kind(address[i]);
}

void refuse_unsupported_fields(const Request& request) {
  for (const std::string_view name : {"x-ms-documentdb-pre-trigger-include", "x-ms-documentdb-post-trigger-include"})
    if (!request.field(name).value_or("").empty())
      throw Refusal(400, fmt::format("The header {} is not supported: this server does not have triggers.", name));
  if (request.field("x-ms-indexing-directive") == "Exclude")
    throw Refusal(
        400,
        "The header x-ms-indexing-directive is not supported: every item is indexed as the container's policy says.");
}

void refuse_unsupported_settings(const json::object& container) {
  for (const std::string_view name : {"analyticalStorageTtl", "clientEncryptionPolicy", "computedProperties",
                                      "materializedViewDefinition", "ttlPropertyPath"})
    refuse_setting(container, name);
  const json::value* key = container.if_contains("partitionKey");
  if (key && key->is_object()) check_key_definition(key->get_object());
}

}  // namespace mayfly::serve
