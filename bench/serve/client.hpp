#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "mayfly/serve/wire/epoll.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace mayfly::bench {

/// One connection to a server. It is kept alive, and reopened if the server closes it after an answer.
class Client final : public serve::Epoll::Watcher {
 public:
  using Done = std::function<void(Client&)>;

  /// The context is not run: `epoll` waits for the socket. With `tls`, the connection is one over TLS that trusts any
  /// certificate.
  Client(serve::Epoll& epoll, boost::asio::io_context& context, const boost::asio::ip::tcp::endpoint& server,
         ssl_ctx_st* tls);

  /// Sends the request; `done` is called when the answer has arrived, and may send again. Both must live until then. An
  /// answer without success and a broken connection are a std::runtime_error.
  void send(const std::string& request, double due, const Done& done);

  /// When the last request was due, as given to `send`.
  double due() const { return due_; }
  bool is_waiting() const { return done_ != nullptr; }

  void is_ready() override;

 private:
  void connect();
  void write(const std::string& request);
  /// Returns 0 if the connection has none now, or was closed.
  std::size_t read(char* room, std::size_t size);

  serve::Epoll& epoll_;
  boost::asio::ip::tcp::endpoint server_;
  boost::asio::ip::tcp::socket socket_;
  ssl_ctx_st* tls_;
  std::unique_ptr<ssl_st, void (*)(ssl_st*)> stream_;
  const Done* done_ = nullptr;
  double due_ = 0;
  std::string buffer_ = std::string(4096, '\0');
  std::size_t received_ = 0;
};

}  // namespace mayfly::bench
