#pragma once

#include "mayfly/rest/address.hpp"
#include "mayfly/serve/service/account.hpp"
#include "mayfly/serve/service/message.hpp"

namespace mayfly::serve {

/// A request that may be answered, and when.
struct Call {
  Account& account;
  const Request& request;
  const rest::Address& address;
  Instant now;
};

/// The partition that the request names, if any.
std::optional<std::string> named_partition(const Request& request, const PartitionKey& key);

/// Throws Refusal if the request is for another version than this one of a database or container.
void check_if_match(const Request& request, std::uint64_t version);

/// The response, or 304 if the request says that it knows this version.
Response unless_known(const Request& request, Response response);

[[noreturn]] void refuse_verb(const Call& call);

}  // namespace mayfly::serve
