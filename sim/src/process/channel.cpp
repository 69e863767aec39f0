#include "mayfly/sim/process/channel.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>

namespace mayfly {

bool Channel::send(std::string line) {
  line += '\n';
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t sent = ::send(socket_.number(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::optional<std::string> Channel::read_line(const Deadline& deadline) {
  constexpr double tick = 0.05;  // seconds between two calls of the predicate
  for (;;) {
    if (auto line = take_line()) return line;
    const double left = std::clamp(deadline.end - Stopwatch::now(), 0.0, tick);
    if (has_news(static_cast<int>(left * 1000) + 1)) {
      if (!receive()) return std::nullopt;
    } else if (deadline.has_passed() || deadline.is_cancelled()) {
      return std::nullopt;
    }
  }
}

std::optional<std::string> Channel::take_line() {
  const std::size_t end = received_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return line;
}

bool Channel::receive() {
  std::array<char, 65'536> buffer;
  ssize_t count = 0;
  do {
    count = ::recv(socket_.number(), buffer.data(), buffer.size(), 0);
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return false;
  received_.append(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

bool Channel::has_news(int milliseconds) const {
  pollfd waiting{socket_.number(), POLLIN, 0};
  return ::poll(&waiting, 1, milliseconds) > 0;
}

}  // namespace mayfly
