#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mayfly/serve/wire/tls.hpp"
#include "mayfly/sim/process/child.hpp"

namespace mayfly::bench {

/// A server in a process of its own, which ends with this object. Requires that this process has one thread.
class OwnServer {
 public:
  /// In memory, or with a journal in this file; over plain http, or over https with this certificate.
  explicit OwnServer(const std::optional<std::string>& data, const std::optional<serve::TlsFiles>& tls = {});

  std::uint16_t port() const { return port_; }

  /// The processor time that the server has used.
  double cpu_seconds() const;

 private:
  Child child_;
  std::uint16_t port_ = 0;
};

}  // namespace mayfly::bench
