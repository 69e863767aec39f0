#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "mayfly/serve/wire/epoll.hpp"

namespace mayfly::bench {

/// One connection to a server. It is kept alive, and reopened if the server closes it after an answer.
class Client final : public serve::Epoll::Watcher {
 public:
  using Done = std::function<void(Client&)>;

  /// The context is not run: `epoll` waits for the socket.
  Client(serve::Epoll& epoll, boost::asio::io_context& context, const boost::asio::ip::tcp::endpoint& server)
      : epoll_(epoll), server_(server), socket_(context) {}

  /// Sends the request; `done` is called when the answer has arrived, and may send again. Both must live until then. An
  /// answer without success and a broken connection are a std::runtime_error.
  void send(const std::string& request, double due, const Done& done);

  /// When the last request was due, as given to `send`.
  double due() const { return due_; }
  bool is_waiting() const { return done_ != nullptr; }

  void is_ready() override;

 private:
  void connect();

  serve::Epoll& epoll_;
  boost::asio::ip::tcp::endpoint server_;
  boost::asio::ip::tcp::socket socket_;
  const Done* done_ = nullptr;
  double due_ = 0;
  std::string buffer_ = std::string(4096, '\0');
  std::size_t received_ = 0;
};

}  // namespace mayfly::bench
