#pragma once

#include <string>
#include <string_view>

namespace mayfly::cosmos {

/// Where an account is.
struct Endpoint {
  bool is_secure = false;
  std::string host;  ///< without the brackets of an IPv6 address
  std::string port;

  /// The value of the Host field.
  std::string authority() const;
  std::string url() const;

  /// Whether it is on this machine, by its name.
  bool is_loopback() const;
};

/// Reads http://HOST[:PORT]/ or the same with https. Throws InputError.
Endpoint parse_endpoint(std::string_view url);

}  // namespace mayfly::cosmos
