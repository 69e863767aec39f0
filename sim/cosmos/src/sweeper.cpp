#include "mayfly/cosmos/sweeper.hpp"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace mayfly::cosmos {

namespace {

/// Waits until no process holds the other end. Returns whether a process has noted work.
bool is_something_left(int pipe) {
  bool is_left = false;
  for (;;) {
    char byte = 0;
    const ssize_t count = ::read(pipe, &byte, 1);
    if (count == 0) return is_left;
    is_left |= count > 0;
  }
}

// Not a Descriptor, because the children of this process and their children have to inherit the pipe.
std::array<int, 2> make_pipe() {
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  return ends;
}

}  // namespace

Sweeper::Sweeper(const std::function<void()>& work) : Sweeper(work, make_pipe()) {}

Sweeper::Sweeper(const std::function<void()>& work, const std::array<int, 2>& pipe)
    : pipe_(pipe[1]),
      process_(
          [&] {
            ::close(pipe[1]);
            if (is_something_left(pipe[0])) work();
            return 0;
          },
          Child::Lifetime::outlives) {
  ::close(pipe[0]);
}

void Sweeper::note_work() const { [[maybe_unused]] const auto written = ::write(pipe_, "", 1); }

Sweeper::~Sweeper() {
  ::close(pipe_);
  process_.has_ended(-1);
}

}  // namespace mayfly::cosmos
