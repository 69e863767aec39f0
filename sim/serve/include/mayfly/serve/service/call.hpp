#pragma once

#include "mayfly/rest/address.hpp"
#include "mayfly/serve/message/message.hpp"
#include "mayfly/serve/service/account.hpp"

namespace mayfly::serve {

/// An admitted request, and the second in which it is answered.
struct Call {
  Account& account;
  const Request& request;
  const rest::Address& address;
  Instant now;
};

/// The container whose part is requested. Throws Refusal.
Container& owner(const Call& call);

/// The partition that the request names, if any.
std::optional<std::string> named_partition(const Request& request, const PartitionKey& key);

/// Throws Refusal if the request has an if-match condition for another version of the database or container.
void check_if_match(const Request& request, std::uint64_t version);

/// The response, or 304 if the client states that it has this version already.
Response unless_known(const Request& request, Response response);

[[noreturn]] void refuse_verb(const Call& call);

}  // namespace mayfly::serve
