#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "mayfly/serve/wire/http_session.hpp"
#include "mayfly/serve/wire/tls.hpp"

namespace mayfly::serve {

struct HttpServerOptions {
  std::string listen = "127.0.0.1";  ///< a numeric address
  std::uint16_t port = 8081;         ///< 0: any free port
  std::size_t most_connections = 4096;
  double idle_seconds = 65;  ///< a connection is closed after this time without a byte in either direction
  HttpLimits limits;
  std::optional<TlsFiles> tls;  ///< for https; plain http without
};

/// Serves a service over HTTP. One thread does everything, so nothing needs a lock: each request is short, and no call
/// waits except for sockets.
class HttpServer {
 public:
  /// Listens on the port. Throws InputError.
  HttpServer(Service& service, const HttpServerOptions& options);
  ~HttpServer();

  std::uint16_t port() const;

  /// Serves until SIGINT or SIGTERM. Answers that were begun are still sent.
  void run();

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

/// Whether only this machine can reach the address. Throws InputError if it is not a numeric address.
bool is_loopback(const std::string& address);

}  // namespace mayfly::serve
