#include "mayfly/cosmos/clock_command.hpp"

#include <cmath>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "mayfly/sim/process/ending.hpp"
#include "mayfly/sim/subject.hpp"
#include "mayfly/sim/target/process.hpp"

namespace mayfly::cosmos {

namespace {

[[noreturn]] void fail(const std::string& command, const std::string& what) {
  throw StoreFailure(fmt::format("does not get its clock moved: --clock-command {} {}", command, what));
}

/// Starts the command; what it prints is no part of our report. Returns its process, or 0 and why not.
pid_t start(const std::vector<std::string>& words, int& error) {
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t process = 0;
  error = ::posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), ::environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? process : 0;
}

bool ends_within(pid_t process, double seconds) {
  const int descriptor = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  if (descriptor < 0) return true;  // an old kernel: then it is waited for as long as it takes
  pollfd ending{descriptor, POLLIN, 0};
  const double end = Stopwatch::now() + seconds;
  int news = 0;
  do {
    news = ::poll(&ending, 1, static_cast<int>(std::max(0.0, end - Stopwatch::now()) * 1000) + 1);
  } while (news < 0 && Stopwatch::now() < end);  // a signal that is not for us
  ::close(descriptor);
  return news > 0;
}

}  // namespace

ClockCommand::ClockCommand(const std::string& command, double seconds)
    : words_(command_words(command)), seconds_(seconds) {}

void ClockCommand::move(std::int64_t seconds) const {
  std::vector<std::string> words = words_;
  words.push_back(std::to_string(seconds));
  int error = 0;
  const pid_t process = start(words, error);
  if (process == 0) fail(words[0], fmt::format("cannot be started: {}", std::strerror(error)));
  const bool has_ended = ends_within(process, seconds_);
  if (!has_ended) ::kill(process, SIGKILL);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (!has_ended) fail(words[0], fmt::format("takes longer than {:g} s", seconds_));
  if (status != 0) fail(words[0], ending_text(status));
}

double MovedTimekeeper::now() { return real_timekeeper().now() + moved_; }

void MovedTimekeeper::wait_until(double time) {
  const double whole = std::floor(time - now());
  if (whole >= 1) {
    command_.move(static_cast<std::int64_t>(whole));
    moved_ += whole;
  }
  real_timekeeper().wait_until(time - moved_);
}

}  // namespace mayfly::cosmos
