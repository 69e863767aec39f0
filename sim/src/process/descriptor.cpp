#include "mayfly/sim/process/descriptor.hpp"

#include <cerrno>
#include <fcntl.h>
#include <set>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace mayfly {

namespace {

using Numbers = std::set<int>;

/// The descriptors that children of this process close.
Numbers& own_numbers() {
  static Numbers numbers;
  return numbers;
}

/// The descriptors that were passed on to this process, and that it passes on to its children.
Numbers& passed_on_numbers() {
  static Numbers numbers;
  return numbers;
}

void close_all(Numbers& numbers) {
  for (const int number : std::exchange(numbers, {})) ::close(number);
}

}  // namespace

Descriptor::Descriptor(int number) : number_(number), owner_(::getpid()) { own_numbers().insert(number); }

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)), owner_(other.owner_) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  close();
  number_ = std::exchange(other.number_, -1);
  owner_ = other.owner_;
  return *this;
}

int Descriptor::number() const { return owner_ == ::getpid() ? number_ : -1; }

void Descriptor::close() {
  if (!is_open()) return;
  own_numbers().erase(number_);
  passed_on_numbers().erase(number_);
  ::close(std::exchange(number_, -1));
}

void Descriptor::stop_blocking() const { ::fcntl(number_, F_SETFL, ::fcntl(number_, F_GETFL) | O_NONBLOCK); }

void Descriptor::pass_on() {
  if (number_ < 0) return;
  owner_ = ::getpid();
  own_numbers().erase(number_);
  passed_on_numbers().insert(number_);
}

void Descriptor::close_inherited() { close_all(own_numbers()); }

void Descriptor::close_passed_on() { close_all(passed_on_numbers()); }

Pipe::Pipe(int size) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  read_end = Descriptor(ends[0]);
  write_end = Descriptor(ends[1]);
  if (size > 0) ::fcntl(ends[1], F_SETPIPE_SZ, size);
}

SocketPair::SocketPair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  parents = Descriptor(ends[0]);
  childs = Descriptor(ends[1]);
}

}  // namespace mayfly
