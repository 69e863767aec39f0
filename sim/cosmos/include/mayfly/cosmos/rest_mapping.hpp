#pragma once

#include <optional>
#include <string>

#include "mayfly/cosmos/http_client.hpp"
#include "mayfly/sim/operation.hpp"

// The operation language as Cosmos DB's REST interface says it, and its answers back. Nothing here opens a connection.

namespace mayfly::cosmos {

/// Where the collections of one case are: containers of their own, in a database of ours.
struct CasePlace {
  std::string database;
  std::uint64_t number = 0;  ///< of the case, which is part of every container's name

  std::string path() const { return "/dbs/" + database; }
  std::string container(const std::string& collection) const;
};

/// A name as it can stand in an id and in a path, whatever it is: letters, digits, - and _ stand for themselves, other
/// bytes are written ~2F. Different names stay different, and no name is empty.
std::string safe_name(const std::string& name);
std::string original_name(std::string_view safe);

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
