#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace mayfly::bench {

/// One connection to a server. It is kept alive, and made anew where the server closes it with an answer.
class Client {
 public:
  Client(boost::asio::io_context& context, const boost::asio::ip::tcp::endpoint& server)
      : socket_(context), server_(server) {}

  /// Sends the request, which must live until `done` is called, when the answer is there. An answer that says anything
  /// but success, and a connection that breaks, end in a std::runtime_error out of the context.
  void ask(const std::string& request, std::function<void()> done);

 private:
  void send(const std::string& request);
  void await();
  void take_in(std::size_t count);

  boost::asio::ip::tcp::socket socket_;
  boost::asio::ip::tcp::endpoint server_;
  std::function<void()> done_;
  std::string buffer_ = std::string(4096, '\0');
  std::size_t received_ = 0;
};

}  // namespace mayfly::bench
