#include "end_signal.hpp"

#include <cerrno>
#include <sys/signalfd.h>
#include <system_error>
#include <unistd.h>

namespace mayfly::serve {

EndSignal::EndSignal(Epoll& epoll) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM}) sigaddset(&signals, signal);
  file_ = ::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  if (file_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
  ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
  epoll.watch(file_, Epoll::For::reading, *this);
}

// After a signal the process ends. The signals stay blocked then, so that a second one does not kill it meanwhile.
EndSignal::~EndSignal() {
  is_ready();
  ::close(file_);
  if (!has_come_) ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void EndSignal::is_ready() {
  signalfd_siginfo signal;
  while (::read(file_, &signal, sizeof signal) == sizeof signal) has_come_ = true;
}

}  // namespace mayfly::serve
