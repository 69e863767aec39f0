#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <boost/json/object.hpp>

#include "mayfly/model/document.hpp"
#include "mayfly/serve/service/partition_key.hpp"
#include "mayfly/serve/service/resource_id.hpp"
#include "mayfly/serve/service/unique_keys.hpp"

namespace mayfly::serve {

/// The latest second and version in which a resource was written.
struct Written {
  Instant ts;
  std::uint64_t version = 0;
};

/// The throughput of a database or a container.
struct Offer {
  boost::json::object content;  ///< as clients read it
  Written written;
};

/// The definition of a container in a client's request.
struct ContainerDefinition {
  enum class For { creating, replacing };

  /// Throws Refusal, with the service's message for an invalid ttl or indexing (T2, I1).
  ContainerDefinition(const boost::json::object& body, For purpose);

  std::string id;
  boost::json::object shown;  ///< as clients read it, without the server's own properties
  Definition settings;        ///< for the engine
  PartitionKey key;
  UniqueKeys unique_keys;
};

struct Container {
  std::string id;
  ResourceId rid;
  std::string rid_text;
  std::string link;        ///< `dbs/../colls/../`
  std::string collection;  ///< its name in the engine
  boost::json::object shown;
  Definition settings;
  PartitionKey key;
  UniqueKeys unique_keys;
  Written written;
  std::optional<Offer> offer;
  std::uint64_t purged = 0;  ///< items that the background process has deleted
};

struct Database {
  std::string id;
  ResourceId rid;
  std::string rid_text;
  Written written;
  std::optional<Offer> offer;
  std::map<std::string, Container, std::less<>> containers;
};

boost::json::object to_json(const Container& container);
boost::json::object to_json(const Database& database);

/// The longest id of a resource: of a database or a container, and of an item.
inline constexpr std::size_t most_id_bytes = 255;
inline constexpr std::size_t most_item_id_bytes = 1023;

/// The id in a body. Throws Refusal if there is none, it is empty or longer, or has one of `/ \ ? #`.
std::string id_in(const boost::json::object& body, std::size_t most_bytes);

/// The value of a ttl or a default. Throws Refusal, with the service's message, if the rules do not allow it (T2, T3).
TtlField ttl_field(const boost::json::value* value);

/// The default in the settings, for display.
DefaultTtl default_of(const Definition& settings);

}  // namespace mayfly::serve
