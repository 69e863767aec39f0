#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mayfly/cosmos/endpoint.hpp"
#include "mayfly/sim/process/deadline.hpp"

namespace mayfly::cosmos {

using HttpFields = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string verb;
  std::string path;
  HttpFields fields;
  std::string body;
};

struct HttpAnswer {
  int status = 0;
  HttpFields fields;  ///< names in lower case
  std::string body;

  /// The value of a field, or nothing. Requires its name in lower case.
  std::string field(std::string_view name) const;
};

/// One connection to an endpoint, opened when it is needed and kept between requests.
///
/// The certificate has to be valid for the endpoint's name, except on this machine: emulators sign their own, and the
/// connection stays within the machine.
class HttpClient {
 public:
  explicit HttpClient(Endpoint endpoint);
  ~HttpClient();
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;

  /// Throws StoreFailure if there is no answer by the deadline.
  HttpAnswer ask(const HttpRequest& request, const Deadline& deadline);

 private:
  class Wire;
  std::unique_ptr<Wire> wire_;
};

}  // namespace mayfly::cosmos
