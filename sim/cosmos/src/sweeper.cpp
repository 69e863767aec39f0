#include "mayfly/cosmos/sweeper.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace mayfly::cosmos {

namespace {

/// Waits until everybody has gone; whether one of them has left something.
bool is_something_left(int pipe) {
  bool is_left = false;
  for (;;) {
    char byte = 0;
    const ssize_t count = ::read(pipe, &byte, 1);
    if (count == 0) return is_left;
    is_left |= count > 0;
  }
}

}  // namespace

Sweeper::Sweeper(const std::function<void()>& work) : owner_(::getpid()) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  process_ = ::fork();
  if (process_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (process_ == 0) {
    ::setsid();
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    ::close(ends[1]);
    if (is_something_left(ends[0])) work();
    ::_exit(0);
  }
  ::close(ends[0]);
  pipe_ = ends[1];
}

void Sweeper::note_work() const { [[maybe_unused]] const auto written = ::write(pipe_, "", 1); }

Sweeper::~Sweeper() {
  ::close(pipe_);
  if (owner_ != ::getpid()) return;
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace mayfly::cosmos
