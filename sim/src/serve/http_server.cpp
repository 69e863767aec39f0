#include "mayfly/sim/serve/http_server.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <sys/resource.h>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <fmt/format.h>

#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/stopwatch.hpp"

namespace mayfly::serve {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

asio::ip::address parse_address(const std::string& text) {
  error_code problem;
  const auto address = asio::ip::make_address(text, problem);
  if (problem) throw InputError(fmt::format("--listen must be a numeric address such as 127.0.0.1, got \"{}\"", text));
  return address;
}

constexpr std::size_t most_refused = 64;  // connections that are being told that there are too many
constexpr auto time_to_end = std::chrono::seconds(1);

/// Lets the process have as many sockets as it may; says how many.
std::size_t raise_socket_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

std::chrono::nanoseconds nanoseconds(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

}  // namespace

bool is_loopback(const std::string& address) { return parse_address(address).is_loopback(); }

class HttpServer::Loop {
 public:
  Loop(Service& service, const HttpServerOptions& options);

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  void run();

 private:
  class Connection;

  void accept();
  void take_on(tcp::socket socket);
  void send_soon(const std::shared_ptr<Connection>& connection);
  void commit_and_send();
  void every(double seconds, asio::steady_timer& timer, void (Loop::*work)());
  void close_what_waits_too_long();
  void work_in_background();
  void stop();

  Service& service_;
  HttpServerOptions options_;
  boost::unordered_flat_set<Connection*> connections_;  ///< outlives the context, whose handlers hold connections
  asio::io_context context_{1};
  tcp::acceptor acceptor_{context_};
  asio::signal_set signals_{context_, SIGINT, SIGTERM};
  asio::steady_timer sweep_timer_{context_};
  asio::steady_timer background_timer_{context_};
  asio::steady_timer accept_timer_{context_};
  std::vector<std::shared_ptr<Connection>> answered_;  ///< since the last commit
  bool is_stopping_ = false;
};

// It reads, and then writes all answers, and then reads again: a client that does not take its answers is not read
// from.
class HttpServer::Loop::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Loop& loop, tcp::socket socket)
      : loop_(loop), socket_(std::move(socket)), session_(loop.service_, loop.options_.limits) {
    loop_.connections_.insert(this);
  }
  ~Connection() { loop_.connections_.erase(this); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void proceed() {
    is_sending_ = !session_.output().empty();
    if (is_sending_) return loop_.send_soon(shared_from_this());
    if (session_.is_over()) return say_goodbye();
    read();
  }

  void refuse(const Response& response) {
    session_.refuse(response);
    proceed();
  }

  void send() {
    asio::async_write(socket_, asio::buffer(session_.output()),
                      [self = shared_from_this()](error_code problem, std::size_t) { self->sent(problem); });
  }

  void answer_instead(const Response& response) { session_.answer_instead(response); }

  /// Closes it, or gives it a last chance to take an answer.
  void check_time(double now, double most_seconds) {
    if (now - since_ < most_seconds) return;
    if (is_sending_ || is_leaving_) return close();
    session_.time_out();
    error_code ignored;
    socket_.cancel(ignored);  // its reading ends, and it proceeds
  }

  void leave() {
    is_last_ = true;
    if (!is_sending_) close();
  }

 private:
  void read() {
    const auto room = session_.room();
    socket_.async_read_some(
        asio::buffer(room.data(), room.size()),
        [self = shared_from_this()](error_code problem, std::size_t count) { self->has_read(problem, count); });
  }

  void has_read(error_code problem, std::size_t count) {
    if (problem == asio::error::operation_aborted && session_.is_over() && !is_leaving_) return proceed();
    if (problem) return close();
    if (is_leaving_) return read();  // what still comes is not for us
    session_.take_in(count);
    proceed();
  }

  void sent(error_code problem) {
    is_sending_ = false;
    if (problem || is_last_) return close();
    constexpr std::size_t large = 64 * 1024;
    if (session_.output().capacity() > large) session_.output() = {};
    session_.output().clear();
    since_ = Stopwatch::now();
    if (!session_.is_over()) session_.go_on();
    proceed();
  }

  // If the socket were closed while the client still sends, the client would never see the answer. So it is told that
  // nothing more will come, and what it sends is dropped, for a while.
  void say_goodbye() {
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    is_leaving_ = true;
    since_ = std::max(since_, Stopwatch::now() - loop_.options_.idle_seconds + patience);
    read();
  }

  void close() {
    error_code ignored;
    socket_.close(ignored);
  }

  static constexpr double patience = 1;

  Loop& loop_;
  tcp::socket socket_;
  HttpSession session_;
  double since_ = Stopwatch::now();  ///< when it last got what it wanted
  bool is_sending_ = false;
  bool is_leaving_ = false;  ///< what comes is dropped
  bool is_last_ = false;     ///< what is being sent is the last
};

HttpServer::Loop::Loop(Service& service, const HttpServerOptions& options) : service_(service), options_(options) {
  const tcp::endpoint endpoint(parse_address(options.listen), options.port);
  try {
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    acceptor_.bind(endpoint);
    acceptor_.listen();
  } catch (const boost::system::system_error& problem) {
    throw InputError(
        fmt::format("cannot listen on {} port {}: {}", options.listen, options.port, problem.code().message()));
  }
  constexpr std::size_t others = most_refused + 64;  // files that are no connections
  options_.most_connections = std::min(options.most_connections, std::max(raise_socket_limit(), 2 * others) - others);
}

void HttpServer::Loop::run() {
  signals_.async_wait([this](error_code, int) { stop(); });
  accept();
  every(std::clamp(options_.idle_seconds / 4, 0.01, 1.0), sweep_timer_, &Loop::close_what_waits_too_long);
  // A virtual clock's background work is done when it is moved, so that a test meets the same state every time.
  if (!service_.clock().is_virtual()) every(0.1, background_timer_, &Loop::work_in_background);
  context_.run();
  context_.restart();
  context_.run_for(time_to_end);  // until the last answer is sent
  service_.commit();
}

void HttpServer::Loop::accept() {
  acceptor_.async_accept([this](error_code problem, tcp::socket socket) {
    if (is_stopping_) return;
    if (!problem) {
      take_on(std::move(socket));
      return accept();
    }
    accept_timer_.expires_after(std::chrono::milliseconds(50));  // out of sockets, most likely
    accept_timer_.async_wait([this](error_code cancelled) {
      if (!cancelled) accept();
    });
  });
}

void HttpServer::Loop::take_on(tcp::socket socket) {
  if (connections_.size() >= options_.most_connections + most_refused) return;  // closed without a word
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  const bool is_one_too_many = connections_.size() >= options_.most_connections;
  const auto connection = std::make_shared<Connection>(*this, std::move(socket));
  if (is_one_too_many)
    connection->refuse(error(503, fmt::format("There are {} connections already.", options_.most_connections)));
  else
    connection->proceed();
}

// Requests that come at the same time share a commit: none is answered before what it did is safe.
void HttpServer::Loop::send_soon(const std::shared_ptr<Connection>& connection) {
  if (!service_.account().has_journal()) return connection->send();
  if (answered_.empty()) asio::post(context_, [this] { commit_and_send(); });
  answered_.push_back(connection);
}

void HttpServer::Loop::commit_and_send() {
  const auto failure = service_.commit();
  for (const auto& connection : std::exchange(answered_, {})) {
    if (failure) connection->answer_instead(*failure);
    connection->send();
  }
}

void HttpServer::Loop::every(double seconds, asio::steady_timer& timer, void (Loop::*work)()) {
  timer.expires_after(nanoseconds(seconds));
  timer.async_wait([this, seconds, &timer, work](error_code cancelled) {
    if (cancelled || is_stopping_) return;
    (this->*work)();
    every(seconds, timer, work);
  });
}

void HttpServer::Loop::close_what_waits_too_long() {
  const double now = Stopwatch::now();
  const std::vector<Connection*> all(connections_.begin(), connections_.end());
  for (Connection* connection : all) connection->check_time(now, options_.idle_seconds);
}

// Between two pieces of work, requests have their turn.
void HttpServer::Loop::work_in_background() {
  const bool has_more = service_.work_in_background();
  if (answered_.empty()) service_.commit();
  if (has_more && !is_stopping_) asio::post(context_, [this] { work_in_background(); });
}

void HttpServer::Loop::stop() {
  is_stopping_ = true;
  error_code ignored;
  acceptor_.close(ignored);
  for (asio::steady_timer* timer : {&sweep_timer_, &background_timer_, &accept_timer_}) timer->cancel();
  const std::vector<Connection*> all(connections_.begin(), connections_.end());
  for (Connection* connection : all) connection->leave();
  context_.stop();
}

HttpServer::HttpServer(Service& service, const HttpServerOptions& options)
    : loop_(std::make_unique<Loop>(service, options)) {}
HttpServer::~HttpServer() = default;
std::uint16_t HttpServer::port() const { return loop_->port(); }
void HttpServer::run() { loop_->run(); }

}  // namespace mayfly::serve
