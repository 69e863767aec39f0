#include "guard.hpp"

#include <charconv>
#include <csignal>
#include <dirent.h>
#include <fstream>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "mayfly/sim/stopwatch.hpp"

namespace mayfly {

namespace {

constexpr double most_seconds_of_killing = 5;

/// "4711 (name) S 12 ...": the parent is the second word after the name, which may contain any character.
pid_t parent_of(const char* process) {
  std::ifstream in(std::string("/proc/") + process + "/stat");
  std::string text;
  std::getline(in, text, '\0');
  const std::size_t name_end = text.rfind(')');
  pid_t parent = 0;
  if (name_end != std::string::npos && name_end + 4 < text.size())
    std::from_chars(text.data() + name_end + 4, text.data() + text.size(), parent);
  return parent;
}

std::vector<pid_t> children() {
  std::vector<pid_t> found;
  DIR* folder = ::opendir("/proc");
  if (!folder) return found;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string_view name = entry->d_name;
    pid_t process = 0;
    std::from_chars(name.data(), name.data() + name.size(), process);
    if (process > 0 && parent_of(entry->d_name) == ::getpid()) found.push_back(process);
  }
  ::closedir(folder);
  return found;
}

void kill_all_children() {
  const Stopwatch watch;
  while (watch.seconds() < most_seconds_of_killing) {
    const pid_t reaped = ::waitpid(-1, nullptr, WNOHANG);
    if (reaped < 0) return;  // there are none
    if (reaped > 0) continue;
    for (const pid_t child : children()) ::kill(child, SIGKILL);
    ::poll(nullptr, 0, 1);
  }
}

/// Whether the target has ended. Reaps other processes but not the target: until the target is reaped, no other process
/// can get its number.
bool has_ended(pid_t target) {
  for (;;) {
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return false;
    if (info.si_pid == target) return true;
    ::waitpid(info.si_pid, nullptr, 0);
  }
}

void wait_for_end(pid_t target, int control, int signals) {
  while (!has_ended(target)) {
    pollfd news[]{{control, POLLIN, 0}, {signals, POLLIN, 0}};
    ::poll(news, 2, -1);
    if (news[0].revents != 0) return;
    signalfd_siginfo taken;
    if (news[1].revents != 0) [[maybe_unused]]
      const auto count = ::read(signals, &taken, sizeof taken);
  }
}

}  // namespace

void guard(int control, int report, const std::function<void()>& become, const std::function<void()>& let_go) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t all, before;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  const int signals = ::signalfd(-1, &all, SFD_CLOEXEC);
  const pid_t parent = ::getpid();
  const pid_t target = ::fork();
  if (target == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    // A group of its own keeps the terminal's Ctrl-C from the target: its end would look like a crash.
    ::setpgid(0, 0);
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    become();
    ::_exit(127);
  }
  ::setpgid(target, target);  // the first of the two calls counts
  let_go();
  if (target > 0) wait_for_end(target, control, signals);
  int status = SIGKILL;
  if (target > 0) ::kill(-target, SIGKILL);
  if (target > 0) ::waitpid(target, &status, 0);
  [[maybe_unused]] const auto written = ::write(report, &status, sizeof status);
  kill_all_children();
  ::_exit(0);
}

}  // namespace mayfly
