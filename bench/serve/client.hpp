#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "mayfly/serve/wire/epoll.hpp"

namespace mayfly::bench {

/// One connection to a server. It is kept alive, and made anew where the server closed it after an answer.
class Client final : public serve::Epoll::Watcher {
 public:
  using Done = std::function<void(Client&)>;

  /// Nothing waits in the context.
  Client(serve::Epoll& epoll, boost::asio::io_context& context, const boost::asio::ip::tcp::endpoint& server)
      : epoll_(epoll), server_(server), socket_(context) {}

  /// Sends the request; `done` is called when the answer is there, and may ask again. Both must live until then. An
  /// answer that says anything but success, and a connection that breaks, are a std::runtime_error.
  void ask(const std::string& request, double due, const Done& done);

  /// When the last request was due, as `ask` was told.
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
