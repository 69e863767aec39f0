#pragma once

#include <boost/json/object.hpp>

#include "mayfly/rest/address.hpp"
#include "mayfly/serve/message/message.hpp"

// What the service has and this server has not. A request that needs it is refused with a message that names it: a 404
// would mean that it is not there yet, and to ignore it would be a wrong answer. All functions throw Refusal.

namespace mayfly::serve {

/// Refuses the kinds of resources that this server does not have. This needs no signature, because clients sign some
/// of them in ways of their own.
void refuse_unsupported_resource(const rest::Address& address);

/// Refuses triggers, and items that shall not be indexed.
void refuse_unsupported_fields(const Request& request);

/// Refuses settings of a container that a client writes.
void refuse_unsupported_settings(const boost::json::object& container);

}  // namespace mayfly::serve
