#include "mayfly/serve/wire/http_server.hpp"

#include <algorithm>
#include <limits>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <fmt/format.h>

#include "end_signal.hpp"
#include "mayfly/serve/wire/epoll.hpp"
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
  if (problem) throw InputError(fmt::format("\"{}\" is not a numeric address such as 127.0.0.1", text));
  return address;
}

constexpr std::size_t most_refused = 64;       // connections that are refused because there are too many
constexpr std::size_t most_accepted = 64;      // connections accepted before other ready files have their turn
constexpr double time_without_sockets = 0.05;  // in seconds, like all times here
constexpr double time_between_background_work = 0.1;
constexpr double time_to_end = 1;
constexpr double never = std::numeric_limits<double>::infinity();

/// Raises the process's limit of sockets to the maximum, and returns it.
std::size_t raise_socket_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
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

  struct NewConnections final : Epoll::Watcher {
    explicit NewConnections(Loop& loop) : loop_(loop) {}
    void is_ready() override { loop_.accept(); }
    Loop& loop_;
  };

  /// Work done now and then, between requests.
  struct Chore {
    double (Loop::*work)();  ///< returns the seconds until it is due again
    double due = 0;
  };

  void take_turn();
  void do_chores();
  std::chrono::nanoseconds spare_time() const;
  std::vector<Connection*> all_connections() const;
  void accept();
  void add_connection(tcp::socket socket);
  void commit_and_send();
  double accept_again();
  double close_idle_connections();
  double work_in_background();
  void finish_connections();

  Service& service_;
  HttpServerOptions options_;
  std::optional<TlsContext> tls_;
  asio::io_context context_{1};  ///< owns the sockets; `epoll_` waits for them
  Epoll epoll_;
  EndSignal end_signal_{epoll_};
  tcp::acceptor acceptor_{context_};
  NewConnections new_connections_{*this};
  Chore accepting_{&Loop::accept_again};
  Chore sweeping_{&Loop::close_idle_connections};
  Chore background_{&Loop::work_in_background};
  std::vector<Connection*> answered_;  ///< connections that send at the end of this turn, after a commit
  boost::unordered_flat_map<Connection*, std::unique_ptr<Connection>> connections_;
  double now_ = Stopwatch::now();  ///< the start of this turn
};

// A connection reads, then writes all answers, then reads again: it does not read from a client that does not take its
// answers.
class HttpServer::Loop::Connection final : public Epoll::Watcher {
 public:
  Connection(Loop& loop, tcp::socket socket)
      : loop_(loop), socket_(std::move(socket)), session_(loop.service_, loop.options_.limits, loop.tls_.has_value()) {
    if (loop_.tls_) tls_.emplace(*loop_.tls_, socket_.native_handle());
    loop_.epoll_.watch(socket_.native_handle(), Epoll::For::reading, *this);
  }
  ~Connection() { std::erase(loop_.answered_, this); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Any of these functions may close the connection, which destroys this object.

  void is_ready() override {
    if (is_blocked_) return send();
    if (!is_sending_) read();
  }

  void refuse(const Response& response) {
    session_.refuse(response);
    proceed();
  }

  void send() {
    error_code problem;
    const std::string_view rest = std::string_view(session_.output()).substr(sent_);
    const std::size_t count =
        tls_ ? tls_->write(rest, problem) : socket_.write_some(asio::buffer(rest.data(), rest.size()), problem);
    if (problem && problem != asio::error::would_block) return close();
    if (count > 0) since_ = loop_.now_;
    sent_ += count;
    const bool is_all = sent_ == session_.output().size();
    if (is_blocked_ == is_all) {
      is_blocked_ = !is_all;
      loop_.epoll_.watch_instead(socket_.native_handle(), is_blocked_ ? Epoll::For::writing : Epoll::For::reading,
                                 *this);
    }
    if (is_all) all_is_sent();
  }

  void answer_instead(const Response& response) { session_.answer_instead(response); }

  /// If the time has passed, closes the connection, or times out the session and sends its last answer.
  void check_time(double most_seconds) {
    note_progress();
    if (loop_.now_ - since_ < most_seconds) return;
    if (is_sending_ || drops_input_) return close();
    session_.time_out();
    proceed();
  }

  void finish() {
    is_last_ = true;
    if (!is_sending_) close();
  }

 private:
  void read() {
    error_code problem;
    const std::size_t count = read_some(problem);
    if (tls_ && tls_->has_met_http()) return refuse_http();
    if (problem == asio::error::would_block) return;
    if (problem) return close();
    if (drops_input_) return;  // drops the rest
    since_ = loop_.now_;
    session_.take_in(count);
    while (tls_ && tls_->has_more()) session_.take_in(read_some(problem));  // at most the rest of a record
    proceed();
  }

  std::size_t read_some(error_code& problem) {
    const auto room = session_.room();
    return tls_ ? tls_->read(room, problem) : socket_.read_some(asio::buffer(room.data(), room.size()), problem);
  }

  void refuse_http() {
    tls_.reset();
    refuse(error(400, "This port speaks https, and the request came over plain http."));
  }

  // Sent bytes wait in the system's buffer, which may hold megabytes. Only that buffer shows whether a slow client
  // still takes them.
  void note_progress() {
    int waiting = 0;
    if (::ioctl(socket_.native_handle(), SIOCOUTQ, &waiting) != 0) return;
    if (waiting < waiting_ && !drops_input_) since_ = loop_.now_;
    waiting_ = waiting;
  }

  void proceed() {
    is_sending_ = !session_.output().empty();
    if (is_sending_)
      loop_.answered_.push_back(this);
    else if (session_.is_over())
      close_own_direction();
  }

  // If a client has sent many requests at once, the next part of them is answered in the next turn, after other
  // clients.
  void all_is_sent() {
    if (is_last_) return close();
    constexpr std::size_t large = 64 * 1024;
    if (session_.output().capacity() > large) session_.output() = {};
    session_.output().clear();
    sent_ = 0;
    if (!session_.is_over()) session_.go_on();
    proceed();
  }

  // If the socket were closed while the client still sends, the client would never see the answer. So the server closes
  // only its own direction, and drops further input for a while.
  void close_own_direction() {
    error_code ignored;
    if (tls_) tls_->end();
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    drops_input_ = true;
    since_ = std::max(since_, loop_.now_ - loop_.options_.idle_seconds + linger_seconds);
  }

  void close() { loop_.connections_.erase(this); }

  static constexpr double linger_seconds = 1;

  Loop& loop_;
  tcp::socket socket_;
  std::optional<TlsStream> tls_;
  HttpSession session_;
  std::size_t sent_ = 0;       ///< bytes of the output that were sent
  int waiting_ = 0;            ///< bytes in the system's buffer at the last count
  double since_ = loop_.now_;  ///< the time of the last byte in either direction
  bool is_sending_ = false;
  bool is_blocked_ = false;   ///< waits until the socket has room for the rest
  bool drops_input_ = false;  ///< drops further input
  bool is_last_ = false;      ///< closes after sending the current output
};

HttpServer::Loop::Loop(Service& service, const HttpServerOptions& options) : service_(service), options_(options) {
  const tcp::endpoint endpoint(parse_address(options.listen), options.port);
  if (options.tls) tls_.emplace(*options.tls);
  try {
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    acceptor_.bind(endpoint);
    acceptor_.listen();
    acceptor_.non_blocking(true);
  } catch (const boost::system::system_error& problem) {
    throw InputError(
        fmt::format("cannot listen on {} port {}: {}", options.listen, options.port, problem.code().message()));
  }
  constexpr std::size_t others = most_refused + 64;  // files other than connections
  options_.most_connections = std::min(options.most_connections, std::max(raise_socket_limit(), 2 * others) - others);
}

void HttpServer::Loop::run() {
  // With a virtual clock, background work is done when the clock is moved, so that a test meets the same state every
  // time.
  if (service_.clock().is_virtual()) background_.due = never;
  while (!end_signal_.has_come()) {
    do_chores();
    take_turn();
  }
  finish_connections();
  service_.commit();
}

void HttpServer::Loop::do_chores() {
  for (Chore* chore : {&accepting_, &sweeping_, &background_})
    if (chore->due <= now_) chore->due = now_ + (this->*chore->work)();
}

void HttpServer::Loop::take_turn() {
  const auto ready = epoll_.wait(spare_time());
  now_ = Stopwatch::now();
  for (Epoll::Watcher* watcher : ready) watcher->is_ready();
  commit_and_send();
}

std::chrono::nanoseconds HttpServer::Loop::spare_time() const {
  const double due = answered_.empty() ? std::min({accepting_.due, sweeping_.due, background_.due}) : now_;
  return std::chrono::ceil<std::chrono::nanoseconds>(std::chrono::duration<double>(std::max(due - now_, 0.0)));
}

std::vector<HttpServer::Loop::Connection*> HttpServer::Loop::all_connections() const {
  std::vector<Connection*> all;
  for (const auto& [connection, owner] : connections_) all.push_back(connection);
  return all;
}

void HttpServer::Loop::accept() {
  error_code problem;
  for (std::size_t i = 0; i < most_accepted && !problem; ++i) {
    tcp::socket socket = acceptor_.accept(problem);
    if (!problem) add_connection(std::move(socket));
  }
  if (!problem || problem == asio::error::would_block) return;
  // Most likely the process has no socket left.
  epoll_.forget(acceptor_.native_handle());
  accepting_.due = now_ + time_without_sockets;
}

double HttpServer::Loop::accept_again() {
  epoll_.watch(acceptor_.native_handle(), Epoll::For::reading, new_connections_);
  return never;
}

void HttpServer::Loop::add_connection(tcp::socket socket) {
  // Closed without an answer; over TLS it would need a handshake first.
  if (connections_.size() >= options_.most_connections + (tls_ ? 0 : most_refused)) return;
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  socket.non_blocking(true, ignored);
  const bool is_one_too_many = connections_.size() >= options_.most_connections;
  auto connection = std::make_unique<Connection>(*this, std::move(socket));
  Connection& added = *connection;
  connections_.emplace(&added, std::move(connection));
  if (is_one_too_many)
    added.refuse(error(503, fmt::format("There are {} connections already.", options_.most_connections)));
}

// Requests that arrive at the same time share a commit: a request is answered only after its effects are committed.
// Sending all answers together helps even without a journal: a client waiting for several is woken once.
void HttpServer::Loop::commit_and_send() {
  if (answered_.empty()) return;
  const auto failure = service_.commit();
  for (Connection* connection : std::exchange(answered_, {})) {
    if (failure) connection->answer_instead(*failure);
    connection->send();
  }
}

double HttpServer::Loop::close_idle_connections() {
  for (Connection* connection : all_connections()) connection->check_time(options_.idle_seconds);
  return std::clamp(options_.idle_seconds / 4, 0.01, 1.0);
}

// Runs one piece of work, so that requests have their turn in between.
double HttpServer::Loop::work_in_background() {
  const bool has_more = service_.work_in_background();
  if (answered_.empty()) service_.commit();
  return has_more ? 0 : time_between_background_work;
}

// Finishes answers that were begun, if the client takes them soon.
void HttpServer::Loop::finish_connections() {
  error_code ignored;
  acceptor_.close(ignored);
  for (Connection* connection : all_connections()) connection->finish();
  const double end = now_ + time_to_end;
  for (Chore* chore : {&accepting_, &sweeping_, &background_}) chore->due = end;
  while (!connections_.empty() && now_ < end) take_turn();
}

HttpServer::HttpServer(Service& service, const HttpServerOptions& options)
    : loop_(std::make_unique<Loop>(service, options)) {}
HttpServer::~HttpServer() = default;
std::uint16_t HttpServer::port() const { return loop_->port(); }
void HttpServer::run() { loop_->run(); }

}  // namespace mayfly::serve
