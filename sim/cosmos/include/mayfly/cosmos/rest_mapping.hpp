#pragma once

#include <optional>
#include <string>

#include "mayfly/cosmos/http_client.hpp"
#include "mayfly/sim/limits.hpp"
#include "mayfly/sim/operation.hpp"

// The operation language as Cosmos DB's REST interface says it, and its answers back. Nothing here opens a connection.

namespace mayfly::cosmos {

/// Where the collections of one case are: containers of their own, in a database of ours.
struct CasePlace {
  std::string database;
  std::uint64_t number = 0;  ///< of the case, which is part of every container's name

  std::string path() const { return "/dbs/" + database; }

  /// The id of the collection's container.
  std::string container(const std::string& collection) const;
};

/// Names and values are sent as they are, within these limits of the service: of its ids, of which a container's begins
/// with the number of the case, and of a partition key. An item has 2 MB at most, and each byte of a value up to six in
/// its JSON.
Limits service_limits();

/// The same for a service behind a web server, which judges the path itself: it refuses long parts and control
/// characters, and cuts off a space at the end.
Limits web_server_limits();

/// The request that asks for the operation. Requires one that has a collection.
HttpRequest request_for(const Operation& operation, const CasePlace& place);

/// The request units that an answer tells of, if it does so by a number.
std::optional<Charge> charge_in(const HttpAnswer& answer);

/// What the answer says, with instants of the store's own clock. Of several pages of a query, each is read by itself.
///
/// In REST the address is judged before the body, so that an invalid request to what is not there may be answered 404:
/// for C2 that counts as the 400 that the body deserves. Any JSON in the body is an answer, of an item only what the
/// requests have put there and its `_ts`. Throws InputError if the body is not JSON.
Outcome outcome_of(const Operation& operation, const HttpAnswer& answer);

}  // namespace mayfly::cosmos
