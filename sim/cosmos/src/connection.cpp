#include "connection.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <netdb.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>

#include <fmt/format.h>

#include "mayfly/sim/process/ending.hpp"
#include "mayfly/sim/subject.hpp"

namespace mayfly::cosmos {

namespace {

constexpr double tick = 0.05;  // seconds between two calls of a cancel predicate

[[noreturn]] void throw_failure(std::string_view what, std::string_view why) {
  throw StoreFailure(fmt::format("{}: {}", what, why));
}

/// Waits until the socket is ready for `events`.
void wait_for(int socket, short events, const Deadline& deadline) {
  for (;;) {
    const double left = std::clamp(deadline.end - Stopwatch::now(), 0.0, tick);
    pollfd waiting{socket, events, 0};
    if (::poll(&waiting, 1, static_cast<int>(left * 1000) + 1) > 0) return;
    if (deadline.has_passed()) throw StoreFailure(timeout_text(deadline.seconds));
    if (deadline.is_cancelled()) throw StoreFailure("was cancelled");
  }
}

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Addresses addresses_of(const Endpoint& endpoint) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* first = nullptr;
  const int error = ::getaddrinfo(endpoint.host.c_str(), endpoint.port.c_str(), &hints, &first);
  if (error != 0) throw_failure("cannot be found", ::gai_strerror(error));
  return {first, &::freeaddrinfo};
}

/// 0, or the error of the attempt to connect.
int connect_error(const Descriptor& socket, const addrinfo& address, const Deadline& deadline) {
  if (::connect(socket.number(), address.ai_addr, address.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  wait_for(socket.number(), POLLOUT, deadline);
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

std::string tls_error() {
  const unsigned long code = ERR_get_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason ? reason : "the connection was closed";
}

}  // namespace

Connection::Connection(const Endpoint& endpoint, const Deadline& deadline) {
  connect(endpoint, deadline);
  if (endpoint.is_secure) start_tls(endpoint, deadline);
}

void Connection::connect(const Endpoint& endpoint, const Deadline& deadline) {
  int error = 0;
  const Addresses addresses = addresses_of(endpoint);
  for (const addrinfo* address = addresses.get(); address; address = address->ai_next) {
    const int type = address->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC;
    const int number = ::socket(address->ai_family, type, address->ai_protocol);
    if (number < 0) {
      error = errno;
      continue;
    }
    socket_ = Descriptor(number);
    error = connect_error(socket_, *address, deadline);
    if (error != 0) continue;
    const int on = 1;
    ::setsockopt(number, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return;
  }
  throw_failure("cannot be reached", std::strerror(error));
}

// Emulators sign their own certificates, so those of this machine are not verified.
void Connection::start_tls(const Endpoint& endpoint, const Deadline& deadline) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to a closed socket without MSG_NOSIGNAL
  context_.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_default_verify_paths(context_.get());
  SSL_CTX_set_verify(context_.get(), endpoint.is_loopback() ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nullptr);
  tls_.reset(SSL_new(context_.get()));
  SSL_set_tlsext_host_name(tls_.get(), endpoint.host.c_str());
  SSL_set1_host(tls_.get(), endpoint.host.c_str());
  SSL_set_fd(tls_.get(), socket_.number());
  if (retried("cannot be trusted", deadline, [&] { return SSL_connect(tls_.get()); }) <= 0)
    throw_failure("cannot be trusted", tls_error());
}

/// Makes attempts at a TLS operation until it ends. Its result, or 0 if the endpoint has closed the connection.
int Connection::retried(std::string_view what, const Deadline& deadline, const auto& attempt) {
  for (;;) {
    ERR_clear_error();
    const int result = attempt();
    if (result > 0) return result;
    switch (SSL_get_error(tls_.get(), result)) {
      case SSL_ERROR_WANT_READ:
        wait_for(socket_.number(), POLLIN, deadline);
        break;
      case SSL_ERROR_WANT_WRITE:
        wait_for(socket_.number(), POLLOUT, deadline);
        break;
      case SSL_ERROR_ZERO_RETURN:
        return 0;
      case SSL_ERROR_SYSCALL:
        throw_failure(what, result < 0 && errno != 0 ? std::strerror(errno) : tls_error());
      default:
        throw_failure(what, tls_error());
    }
  }
}

void Connection::write(std::string_view bytes, const Deadline& deadline) {
  constexpr std::string_view what = "does not take a request";
  while (!bytes.empty()) {
    ssize_t count = 0;
    if (tls_) {
      const int size = static_cast<int>(std::min<std::size_t>(bytes.size(), 1 << 30));
      count = retried(what, deadline, [&] { return SSL_write(tls_.get(), bytes.data(), size); });
      if (count == 0) throw_failure(what, tls_error());
    } else {
      count = ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count < 0 && errno != EAGAIN && errno != EINTR) throw_failure(what, std::strerror(errno));
      if (count < 0) wait_for(socket_.number(), POLLOUT, deadline);
    }
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::size_t Connection::read(std::span<char> room, const Deadline& deadline) {
  constexpr std::string_view what = "does not answer";
  if (tls_) {
    const int size = static_cast<int>(room.size());
    return static_cast<std::size_t>(retried(what, deadline, [&] { return SSL_read(tls_.get(), room.data(), size); }));
  }
  for (;;) {
    wait_for(socket_.number(), POLLIN, deadline);
    const ssize_t count = ::recv(socket_.number(), room.data(), room.size(), 0);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EAGAIN && errno != EINTR) throw_failure(what, std::strerror(errno));
  }
}

bool Connection::is_idle() const {
  char byte = 0;
  return ::recv(socket_.number(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

}  // namespace mayfly::cosmos
