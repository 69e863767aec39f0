#pragma once

#include <optional>
#include <string>

#include "mayfly/cosmos/http_client.hpp"
#include "mayfly/sim/limits.hpp"
#include "mayfly/sim/operation.hpp"

// Translates operations into requests of Cosmos DB's REST interface, and its answers back. Opens no connection.

namespace mayfly::cosmos {

/// Where the containers of one case are.
struct CasePlace {
  std::string database;
  std::uint64_t number = 0;  ///< of the case, which is part of every container's name

  std::string path() const { return "/dbs/" + database; }

  /// The id of the collection's container.
  std::string container(const std::string& collection) const;
};

/// The limits of the service within which names and values are sent as they are. A container's id begins with the
/// number of the case. An item has 2 MB at most, and each byte of a value up to six in its JSON.
Limits service_limits();

/// The same for a service behind a web server that restricts paths: it refuses long parts and control characters, and
/// cuts off a space at the end.
Limits web_server_limits();

/// The request for the operation. Requires that the operation has a collection.
HttpRequest request_for(const Operation& operation, const CasePlace& place);

/// The request units in an answer, or nothing if it has none or they are not a number.
std::optional<Charge> charge_in(const HttpAnswer& answer);

/// Reads an answer, or one page of it, with instants of the store's own clock.
///
/// A REST service checks the address before the body, so it may answer an invalid request for a missing resource with
/// 404. That counts as the 400 of C2. Any JSON body is an answer. Of an item, only the fields of the target protocol
/// are read. Throws InputError if the body is not JSON.
Outcome outcome_of(const Operation& operation, const HttpAnswer& answer);

}  // namespace mayfly::cosmos
