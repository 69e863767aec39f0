#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "mayfly/model/document.hpp"

// An item as text. What the client wrote is kept byte for byte, so that numbers come back as they were, and reading an
// item parses nothing.
//
// Some properties are not kept in the text but added when it is shown: those that are the server's own (`_rid`,
// `_self`, `_etag`, `_ts`, `_attachments`), which a client may send back, and the ttl, which is the engine's, and must
// not make a write dearer (R2).

namespace mayfly::serve {

/// What the engine keeps as a document's value: the client's text and two numbers of the server's.
struct StoredItem {
  std::string_view text;  ///< without the closing brace
  std::uint64_t number = 0;
  std::uint64_t version = 0;
};

std::string pack(const StoredItem& item);

/// Whether `pack` may have made this.
bool is_packed(std::string_view value);

/// The views are into `value`, which is packed.
StoredItem unpack(std::string_view value);

/// The text to keep of an item, without its closing brace, which a client wrote and which means this object. Requires
/// that it has other properties than those left out.
std::string text_to_keep(std::string_view written, const boost::json::object& object);

/// Whether a property of this name is the server's own: what a client wrote under it is not kept.
bool is_servers_own(std::string_view name);

/// The item as the client wrote it, ttl included, without what is the server's own. Throws Refusal if it is no JSON.
boost::json::object own_properties(const StoredItem& item, const Ttl& ttl);

/// `"00000000-0000-0000-0000-00000000002a"`, quotes included.
std::string etag_of(std::uint64_t version);

/// Whether the etag is the one that a condition names: `*` is any, and the quotes may be missing.
bool is_met_by(std::string_view condition, std::string_view etag);

/// Appends the whole item as clients see it. `link` is the container's, with a slash at its end.
void append_shown(std::string& out, const StoredItem& item, std::string_view container_link, std::string_view rid,
                  Instant ts, const Ttl& ttl);

}  // namespace mayfly::serve
