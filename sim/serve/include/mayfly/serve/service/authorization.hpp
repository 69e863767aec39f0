#pragma once

#include "mayfly/rest/address.hpp"
#include "mayfly/rest/signature.hpp"
#include "mayfly/serve/message/message.hpp"

namespace mayfly::serve {

/// Whether the request is signed with the key, for the date that it names.
bool is_signed(const Request& request, const rest::Address& address, const rest::Signer& key);

/// Whether the date that was signed is at most 15 minutes from this second, as in the service: so nobody who has seen
/// a request can send it again later.
bool is_recent(const Request& request, Instant now);

}  // namespace mayfly::serve
