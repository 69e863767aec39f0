#include "mayfly/serve/wire/epoll.hpp"

#include <cerrno>
#include <poll.h>
#include <sys/epoll.h>
#include <system_error>
#include <unistd.h>

namespace mayfly::serve {

Epoll::Epoll() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_ < 0) throw std::system_error(errno, std::generic_category(), "epoll");
}

Epoll::~Epoll() { ::close(epoll_); }

void Epoll::watch(int file, For what, Watcher& watcher) { control(EPOLL_CTL_ADD, file, what, &watcher); }
void Epoll::watch_instead(int file, For what, Watcher& watcher) { control(EPOLL_CTL_MOD, file, what, &watcher); }
void Epoll::forget(int file) { control(EPOLL_CTL_DEL, file, For::reading, nullptr); }

void Epoll::control(int operation, int file, For what, Watcher* watcher) {
  epoll_event event{};
  event.events = what == For::reading ? EPOLLIN : EPOLLOUT;
  event.data.ptr = watcher;
  if (::epoll_ctl(epoll_, operation, file, &event) != 0)
    throw std::system_error(errno, std::generic_category(), "epoll");
}

std::span<Epoll::Watcher* const> Epoll::wait(std::chrono::nanoseconds at_most) {
  using std::chrono::milliseconds;
  auto rest = std::chrono::ceil<milliseconds>(at_most);
  if (at_most > at_most.zero() && at_most < milliseconds(1)) {
    wait_in_nanoseconds(at_most);
    rest = {};
  }
  std::array<epoll_event, most_at_once> events;
  const int count = ::epoll_wait(epoll_, events.data(), most_at_once, static_cast<int>(rest.count()));
  if (count <= 0) return {};  // the time passed, or a signal came
  const auto size = static_cast<std::size_t>(count);
  for (std::size_t i = 0; i < size; ++i) ready_[i] = static_cast<Watcher*>(events[i].data.ptr);
  return std::span(ready_).first(size);
}

// epoll_wait itself counts in milliseconds.
void Epoll::wait_in_nanoseconds(std::chrono::nanoseconds at_most) const {
  pollfd file{.fd = epoll_, .events = POLLIN, .revents = 0};
  const timespec time{.tv_sec = 0, .tv_nsec = at_most.count()};
  ::ppoll(&file, 1, &time, nullptr);
}

}  // namespace mayfly::serve
