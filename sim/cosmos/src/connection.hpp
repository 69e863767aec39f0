#pragma once

#include <memory>
#include <span>
#include <string_view>

#include <openssl/ssl.h>

#include "mayfly/cosmos/endpoint.hpp"
#include "mayfly/sim/process/deadline.hpp"
#include "mayfly/sim/process/descriptor.hpp"

namespace mayfly::cosmos {

/// A TCP connection to an endpoint, with TLS over it if the endpoint wants that. Its socket does not block; every wait
/// ends at a deadline. Everything here throws StoreFailure.
class Connection {
 public:
  Connection(const Endpoint& endpoint, const Deadline& deadline);

  void write(std::string_view bytes, const Deadline& deadline);

  /// At least one byte, or 0 if the endpoint has closed the connection.
  std::size_t read(std::span<char> room, const Deadline& deadline);

  /// Whether the endpoint has sent nothing, not even the end. Requires that no answer is due.
  bool is_idle() const;

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    void operator()(SSL* tls) const { SSL_free(tls); }
  };

  void connect(const Endpoint& endpoint, const Deadline& deadline);
  void start_tls(const Endpoint& endpoint, const Deadline& deadline);
  int retried(std::string_view what, const Deadline& deadline, const auto& attempt);

  Descriptor socket_;
  std::unique_ptr<SSL_CTX, Free> context_;
  std::unique_ptr<SSL, Free> tls_;
};

}  // namespace mayfly::cosmos
