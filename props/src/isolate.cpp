#include "mayfly/props/isolate.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "mayfly/props/stopwatch.hpp"

namespace mayfly {

namespace {

// The write end is held by the child alone, so the pipe closes at the moment it ends, however it ends.
bool ends_by_itself(int pipe, const std::function<bool()>& hangs) {
  pollfd waiting{pipe, POLLIN, 0};
  while (::poll(&waiting, 1, 50) <= 0)
    if (hangs()) return false;
  return true;
}

}  // namespace

void run_as_worker(const std::function<int()>& work) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGINT, SIG_IGN);
  ::_exit(work());
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
  const Stopwatch watch;
  return isolate(
      work, [&] { return watch.seconds() > most_seconds; }, hang_text(most_seconds));
}

Isolated isolate(const std::function<int()>& work, const std::function<bool()>& hangs, const std::string& hang) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    ::close(ends[0]);
    run_as_worker(work);
  }
  ::close(ends[1]);
  const bool by_itself = ends_by_itself(ends[0], hangs);
  ::close(ends[0]);
  if (!by_itself) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!by_itself) return {.crash = hang};
  return {.result = WIFEXITED(status) ? WEXITSTATUS(status) : 0, .crash = crash_text(status)};
}

std::optional<Violation> check_isolated(const Property& property, const Case& test_case, Subject& subject,
                                        double most_seconds) {
  if (test_case.operations.empty()) return std::nullopt;
  const auto ended = isolate([&] { return property.check(test_case, subject) ? 1 : 0; }, most_seconds);
  if (ended.crash.empty()) return ended.result == 0 ? std::nullopt : property.check(test_case, subject);
  return Violation{test_case.operations.size() - 1, test_case.operations.back(), {}, ended.crash};
}

}  // namespace mayfly
