#pragma once

#include <csignal>

#include "mayfly/serve/wire/epoll.hpp"

namespace mayfly::serve {

/// Receives SIGINT and SIGTERM, neither of which ends the process while this object lives.
class EndSignal final : public Epoll::Watcher {
 public:
  explicit EndSignal(Epoll& epoll);
  ~EndSignal();
  EndSignal(const EndSignal&) = delete;
  EndSignal& operator=(const EndSignal&) = delete;

  bool has_come() const { return has_come_; }
  void is_ready() override;

 private:
  sigset_t before_{};
  int file_;
  bool has_come_ = false;
};

}  // namespace mayfly::serve
