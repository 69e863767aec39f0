#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Resource ids, as clients see them in `_rid` and in links. Old clients address everything by them.
//
// Each is the base64 text of its numbers: 4 bytes for the database, 4 for the container, 8 for the item. Clients
// distinguish ids from names by this form, and kinds of resources by bits in it: eight characters that are base64 of
// four bytes are a database's id; the highest bit of the container's number is set, because it is a user's without it;
// the item's number is written from its lowest byte on, and the highest four bits are zero, because they are the kind
// of what is below a container.

namespace mayfly::serve {

struct ResourceId {
  std::uint32_t database = 0;
  std::uint32_t container = 0;  ///< below 2^31; 0: the id of a database
  std::uint64_t item = 0;       ///< below 2^60; 0: the id of a database or a container
  bool operator==(const ResourceId&) const = default;
};

std::string to_text(const ResourceId& id);

/// Nothing if the text is not a resource id.
std::optional<ResourceId> parse_resource_id(std::string_view text);

/// The resource id of the offer of the database or container with this number: its lowest three bytes.
std::string offer_rid(std::uint32_t number);

}  // namespace mayfly::serve
