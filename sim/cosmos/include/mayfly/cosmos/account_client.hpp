#pragma once

#include "mayfly/cosmos/http_client.hpp"
#include "mayfly/rest/signature.hpp"

namespace mayfly::cosmos {

/// An account at an endpoint: what is asked of it is signed with its key.
class AccountClient {
 public:
  /// Throws InputError if the key is none.
  AccountClient(Endpoint endpoint, std::string_view key);

  /// Asks, and again where the service says that it is too busy, as long as there is time. Throws StoreFailure, also if
  /// the key is rejected.
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
