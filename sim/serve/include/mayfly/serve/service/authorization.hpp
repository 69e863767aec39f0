#pragma once

#include "mayfly/rest/address.hpp"
#include "mayfly/rest/signature.hpp"
#include "mayfly/serve/service/message.hpp"

namespace mayfly::serve {

/// Whether the request is signed with the key.
///
/// The date is signed but not compared with a clock, because the server's clock may be virtual, and so may a client's.
bool is_signed(const Request& request, const rest::Address& address, const rest::Signer& key);

}  // namespace mayfly::serve
