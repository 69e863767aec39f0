#pragma once

#include <array>
#include <csignal>
#include <cstdint>
#include <optional>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

namespace mayfly::test {

/// A process that runs a function and is killed at the latest with the test.
class ChildProcess {
 public:
  explicit ChildProcess(auto run) {
    REQUIRE(pipe(pipe_.data()) == 0);
    pid_ = fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      run([&](std::int64_t number) {
        if (write(pipe_[1], &number, sizeof number) != sizeof number) _exit(1);
      });
      _exit(0);
    }
    close(pipe_[1]);
  }
  ~ChildProcess() {
    stop();
    close(pipe_[0]);
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// The next number that the child reports, or nothing if it is at its end.
  std::optional<std::int64_t> next() {
    std::int64_t number = 0;
    if (read(pipe_[0], &number, sizeof number) != sizeof number) return std::nullopt;
    return number;
  }

  void stop() {
    if (pid_ == 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  std::array<int, 2> pipe_{};
  pid_t pid_ = 0;
};

/// From here on, writes of this process fail that would make a file larger: a disk that is full, for children.
inline void limit_files_to(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace mayfly::test
