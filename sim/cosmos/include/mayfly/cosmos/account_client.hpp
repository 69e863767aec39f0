#pragma once

#include "mayfly/cosmos/http_client.hpp"
#include "mayfly/rest/signature.hpp"

namespace mayfly::cosmos {

/// An account at an endpoint. Each request is signed with the account's key.
class AccountClient {
 public:
  /// Throws InputError if the key is not valid.
  AccountClient(Endpoint endpoint, std::string_view key);

  /// Sends the request, and retries until the deadline while the service answers that it is too busy. Throws
  /// StoreFailure, also if the key is rejected.
  HttpAnswer ask(HttpRequest request, const Deadline& deadline);

  /// The names of all databases.
  std::vector<std::string> databases(const Deadline& deadline);

  const Endpoint& endpoint() const { return endpoint_; }

 private:
  void sign(HttpRequest& request) const;

  Endpoint endpoint_;
  rest::Signer key_;
  HttpClient client_;
};

}  // namespace mayfly::cosmos
