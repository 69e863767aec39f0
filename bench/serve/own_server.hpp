#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mayfly/sim/process/child.hpp"

namespace mayfly::bench {

/// A server in another process, for as long as this object lives. Must be made before there are threads.
class OwnServer {
 public:
  /// In memory, or with a journal in this file.
  explicit OwnServer(const std::optional<std::string>& data);

  std::uint16_t port() const { return port_; }

  /// Seconds of processor time that it has used.
  double cpu_seconds() const;

 private:
  Child child_;
  std::uint16_t port_ = 0;
};

}  // namespace mayfly::bench
