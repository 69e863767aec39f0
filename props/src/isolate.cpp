#include "mayfly/props/isolate.hpp"

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

namespace mayfly {

namespace {

// The write end is held by the child alone, so the pipe closes at the moment it ends, however it ends.
bool ends_in_time(int pipe, double most_seconds) {
  pollfd waiting{pipe, POLLIN, 0};
  const int milliseconds = static_cast<int>(std::ceil(std::min(most_seconds, 1e6) * 1000));
  int ready = 0;
  do {
    ready = ::poll(&waiting, 1, milliseconds);
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

}  // namespace

void become_worker() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGINT, SIG_IGN);
}

std::string hang_text(double most_seconds) { return fmt::format("did not answer within {:g} s", most_seconds); }

std::string crash_text(int wait_status) {
  if (!WIFSIGNALED(wait_status)) return {};
  const int signal = WTERMSIG(wait_status);
  const char* name = ::sigabbrev_np(signal);
  return fmt::format("{} (signal {})",
                     signal == SIGABRT ? "aborted" : fmt::format("crashed with SIG{}", name ? name : "?"), signal);
}

Isolated isolate(const std::function<int()>& work, double most_seconds) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    ::close(ends[0]);
    become_worker();
    ::_exit(work());
  }
  ::close(ends[1]);
  const bool in_time = ends_in_time(ends[0], most_seconds);
  ::close(ends[0]);
  if (!in_time) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) return {.crash = hang_text(most_seconds)};
  return {.result = WIFEXITED(status) ? WEXITSTATUS(status) : 0, .crash = crash_text(status)};
}

}  // namespace mayfly
