#pragma once

#include "mayfly/rest/address.hpp"
#include "mayfly/serve/service/account.hpp"
#include "mayfly/serve/service/message.hpp"

// The requests of the service's REST surface, by kind of resource. All throw Refusal.

namespace mayfly::serve {

/// A request that may be answered, and when.
struct Call {
  Account& account;
  const Request& request;
  const rest::Address& address;
  Instant now;
};

Response answer_account(const Call& call);     ///< /
Response answer_databases(const Call& call);   ///< /dbs...
Response answer_containers(const Call& call);  ///< /dbs/{db}/colls...
Response answer_ranges(const Call& call);      ///< /dbs/{db}/colls/{c}/pkranges
Response answer_items(const Call& call);       ///< /dbs/{db}/colls/{c}/docs...

/// The items of a container: all, or what a query selects.
Response read_items(const Call& call, const Container& container);
Response query_items(const Call& call, const Container& container);

/// Several operations on items of one partition: atomic, if the request says so.
Response answer_batch(const Call& call, const Container& container);

/// The partition that the request names, if any.
std::optional<std::string> named_partition(const Request& request, const PartitionKey& key);

/// Throws Refusal if the request is for another version than this one of a database or container.
void check_if_match(const Request& request, std::uint64_t version);

/// The response, or 304 if the request says that it knows this version.
Response unless_known(const Request& request, Response response);

[[noreturn]] void refuse_verb(const Call& call);

}  // namespace mayfly::serve
