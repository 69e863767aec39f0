#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "mayfly/model/document.hpp"

// An item as text. The client's text is kept byte for byte, so that numbers come back as they were written, and reading
// an item parses nothing.
//
// Some properties are not part of the kept text, but added when the item is shown: the server's own (`_rid`, `_self`,
// `_etag`, `_ts`, `_attachments`), which a client may send back, and the ttl, which the engine stores separately
// because it must not raise the charge of a write (R2).

namespace mayfly::serve {

/// The value of a document in the engine: the client's text and two numbers of the server.
struct StoredItem {
  std::string_view text;  ///< without the closing brace
  std::uint64_t number = 0;
  std::uint64_t version = 0;
};

std::string pack(const StoredItem& item);

/// Whether the value has the format that `pack` writes.
bool is_packed(std::string_view value);

/// The views are into `value`. Requires that it is packed.
StoredItem unpack(std::string_view value);

/// The text to keep of an item, without its closing brace. `written` is the client's text, and `object` the same
/// parsed. Requires that the item has other properties than those left out.
std::string text_to_keep(std::string_view written, const boost::json::object& object);

/// Whether a property of this name is the server's own. A client's value for it is not kept.
bool is_servers_own(std::string_view name);

/// The item as the client wrote it, with the ttl and without the server's own properties. Throws Refusal if it is not
/// JSON.
boost::json::object own_properties(const StoredItem& item, const Ttl& ttl);

/// `"00000000-0000-0000-0000-00000000002a"`, quotes included.
std::string etag_of(std::uint64_t version);

/// Whether the condition names the etag: `*` matches any, and the quotes may be missing.
bool is_met_by(std::string_view condition, std::string_view etag);

/// Appends the whole item as clients see it. `link` is the container's, with a slash at its end.
void append_shown(std::string& out, const StoredItem& item, std::string_view container_link, std::string_view rid,
                  Instant ts, const Ttl& ttl);

}  // namespace mayfly::serve
