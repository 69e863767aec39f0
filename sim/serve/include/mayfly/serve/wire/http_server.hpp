#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "mayfly/serve/wire/http_session.hpp"

namespace mayfly::serve {

struct HttpServerOptions {
  std::string listen = "127.0.0.1";  ///< a numeric address
  std::uint16_t port = 8081;         ///< 0: any that is free
  std::size_t most_connections = 4096;
  double idle_seconds = 65;  ///< how long a connection may stay without a byte in either direction
  HttpLimits limits;
};

/// A service behind a socket. One thread does everything, so nothing needs a lock: what a request does is short, and
/// what waits is the operating system's business.
class HttpServer {
 public:
  /// Listens from here on. Throws InputError.
  HttpServer(Service& service, const HttpServerOptions& options);
  ~HttpServer();

  std::uint16_t port() const;

  /// Serves until SIGINT or SIGTERM; what was begun to be answered is answered.
  void run();

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

/// Whether only this machine can reach the address. Throws InputError if it is no numeric address.
bool is_loopback(const std::string& address);

}  // namespace mayfly::serve
