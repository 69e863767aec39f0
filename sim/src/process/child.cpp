#include "mayfly/sim/process/child.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "mayfly/sim/process/ending.hpp"
#include "mayfly/sim/stopwatch.hpp"

namespace mayfly {

namespace {

// Guards of its targets that outlive the child are gone within milliseconds. Anything else that holds its pipe, such as
// a process that a store in this process forked, is not waited for any longer than this.
constexpr double seconds_for_guards = 5;

// In the child. Ctrl-C reaches every process of a terminal: the parent decides what becomes of this one.
[[noreturn]] void run(const std::function<int()>& work, int pipe, pid_t parent) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before it was looked out for
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  const auto result = static_cast<unsigned char>(work());
  [[maybe_unused]] const auto written = ::write(pipe, &result, 1);
  ::_exit(0);
}

}  // namespace

Child::Child(const std::function<int()>& work) {
  std::fflush(nullptr);  // or a store that calls exit() prints it a second time
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (process_ == 0) {
    ::close(ends[0]);
    run(work, ends[1], parent);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
}

Child::Child(Child&& other) noexcept { *this = std::move(other); }

Child& Child::operator=(Child&& other) noexcept {
  std::swap(process_, other.process_);
  std::swap(pipe_, other.pipe_);
  std::swap(is_closed_, other.is_closed_);
  std::swap(reaped_, other.reaped_);
  std::swap(status_, other.status_);
  std::swap(result_, other.result_);
  return *this;
}

bool Child::has_ended(int milliseconds) {
  if (pipe_ < 0) return true;
  pollfd waiting{pipe_, POLLIN, 0};
  if (is_closed_)
    ::poll(nullptr, 0, milliseconds > 0 ? 1 : 0);  // it closes its descriptors just before it ends
  else
    ::poll(&waiting, 1, milliseconds);
  listen();
  if (!is_reaped() || (!is_closed_ && Stopwatch::now() - reaped_ < seconds_for_guards)) return false;
  ::close(std::exchange(pipe_, -1));
  return true;
}

void Child::kill() {
  if (pipe_ < 0) return;
  if (!is_reaped()) ::kill(process_, SIGKILL);
  while (!has_ended(1000)) {
  }
}

std::string Child::ending() const { return ending_text(status_); }

void Child::listen() {
  unsigned char result = 0;
  ssize_t count = 0;
  while ((count = ::read(pipe_, &result, 1)) > 0) result_ = result;
  is_closed_ = count == 0;
}

bool Child::is_reaped() {
  if (process_ > 0 && ::waitpid(process_, &status_, WNOHANG) == process_) {
    process_ = 0;
    reaped_ = Stopwatch::now();
  }
  return process_ == 0;
}

}  // namespace mayfly
