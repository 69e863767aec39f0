#pragma once

#include <optional>

#include <boost/json/object.hpp>

#include "mayfly/serve/service/call.hpp"

// Offers: the throughput of databases and containers. It is kept, shown and replaced, and limits nothing.

namespace mayfly::serve {

/// Answers requests for /offers... Throws Refusal.
Response answer_offers(const Call& call);

/// The content of the offer of a database or a container that a request creates, or nothing if the request names no
/// throughput. Throws Refusal.
std::optional<boost::json::object> named_throughput(const Request& request);

/// The content of the offer of a container, if neither it nor its database was given a throughput.
boost::json::object default_throughput();

}  // namespace mayfly::serve
