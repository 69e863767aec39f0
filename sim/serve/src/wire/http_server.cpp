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
  if (problem) throw InputError(fmt::format("\"{}\" is no numeric address such as 127.0.0.1", text));
  return address;
}

constexpr std::size_t most_refused = 64;       // connections that are being told that there are too many
constexpr std::size_t most_accepted = 64;      // before what else is ready has its turn
constexpr double time_without_sockets = 0.05;  // in seconds, as all times here
constexpr double time_between_background_work = 0.1;
constexpr double time_to_end = 1;
constexpr double never = std::numeric_limits<double>::infinity();

/// Lets the process have as many sockets as it may; says how many.
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

  struct Newcomers final : Epoll::Watcher {
    explicit Newcomers(Loop& loop) : loop_(loop) {}
    void is_ready() override { loop_.accept(); }
    Loop& loop_;
  };

  /// What is done now and then, between requests.
  struct Chore {
    double (Loop::*work)();  ///< says after how many seconds it is to be done again
    double due = 0;
  };

  void take_turn();
  void do_chores();
  std::chrono::nanoseconds spare_time() const;
  std::vector<Connection*> all_connections() const;
  void accept();
  void take_on(tcp::socket socket);
  void commit_and_send();
  double accept_again();
  double close_what_waits_too_long();
  double work_in_background();
  void let_go_of_all();

  Service& service_;
  HttpServerOptions options_;
  asio::io_context context_{1};  ///< of the sockets; what waits for them is the next one
  Epoll epoll_;
  EndSignal end_signal_{epoll_};
  tcp::acceptor acceptor_{context_};
  Newcomers newcomers_{*this};
  Chore accepting_{&Loop::accept_again};
  Chore sweeping_{&Loop::close_what_waits_too_long};
  Chore background_{&Loop::work_in_background};
  std::vector<Connection*> answered_;  ///< they send at the end of this turn, after a commit
  boost::unordered_flat_map<Connection*, std::unique_ptr<Connection>> connections_;
  double now_ = Stopwatch::now();  ///< when this turn began
};

// It reads, and then writes all answers, and then reads again: a client that does not take its answers is not read
// from.
class HttpServer::Loop::Connection final : public Epoll::Watcher {
 public:
  Connection(Loop& loop, tcp::socket socket)
      : loop_(loop), socket_(std::move(socket)), session_(loop.service_, loop.options_.limits) {
    loop_.epoll_.watch(socket_.native_handle(), Epoll::For::reading, *this);
  }
  ~Connection() { std::erase(loop_.answered_, this); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Any of these may be its last: it is destroyed where it is closed.

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
    const auto rest = asio::buffer(session_.output()) + sent_;
    const std::size_t count = socket_.write_some(rest, problem);
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

  /// Closes it, or gives it a last chance to take an answer.
  void check_time(double most_seconds) {
    notice_what_was_taken();
    if (loop_.now_ - since_ < most_seconds) return;
    if (is_sending_ || is_leaving_) return close();
    session_.time_out();
    proceed();
  }

  void leave() {
    is_last_ = true;
    if (!is_sending_) close();
  }

 private:
  void read() {
    const auto room = session_.room();
    error_code problem;
    const std::size_t count = socket_.read_some(asio::buffer(room.data(), room.size()), problem);
    if (problem == asio::error::would_block) return;
    if (problem) return close();
    if (is_leaving_) return;  // what still comes is not for us
    since_ = loop_.now_;
    session_.take_in(count);
    proceed();
  }

  // What was sent waits in the system's buffer, which may hold megabytes: a client that takes them slowly, but does, is
  // seen only there.
  void notice_what_was_taken() {
    int waiting = 0;
    if (::ioctl(socket_.native_handle(), SIOCOUTQ, &waiting) != 0) return;
    if (waiting < waiting_ && !is_leaving_) since_ = loop_.now_;
    waiting_ = waiting;
  }

  void proceed() {
    is_sending_ = !session_.output().empty();
    if (is_sending_)
      loop_.answered_.push_back(this);
    else if (session_.is_over())
      say_goodbye();
  }

  // A client that has sent many requests in one go gets the next part in the next turn, after the others.
  void all_is_sent() {
    if (is_last_) return close();
    constexpr std::size_t large = 64 * 1024;
    if (session_.output().capacity() > large) session_.output() = {};
    session_.output().clear();
    sent_ = 0;
    if (!session_.is_over()) session_.go_on();
    proceed();
  }

  // If the socket were closed while the client still sends, the client would never see the answer. So it is told that
  // nothing more will come, and what it sends is dropped, for a while.
  void say_goodbye() {
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    is_leaving_ = true;
    since_ = std::max(since_, loop_.now_ - loop_.options_.idle_seconds + patience);
  }

  void close() { loop_.connections_.erase(this); }

  static constexpr double patience = 1;

  Loop& loop_;
  tcp::socket socket_;
  HttpSession session_;
  std::size_t sent_ = 0;       ///< of the output
  int waiting_ = 0;            ///< bytes in the system's buffer, when they were last counted
  double since_ = loop_.now_;  ///< when a byte last went either way
  bool is_sending_ = false;
  bool is_blocked_ = false;  ///< the rest is sent when the socket has room again
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
    acceptor_.non_blocking(true);
  } catch (const boost::system::system_error& problem) {
    throw InputError(
        fmt::format("cannot listen on {} port {}: {}", options.listen, options.port, problem.code().message()));
  }
  constexpr std::size_t others = most_refused + 64;  // files that are no connections
  options_.most_connections = std::min(options.most_connections, std::max(raise_socket_limit(), 2 * others) - others);
}

void HttpServer::Loop::run() {
  // A virtual clock's background work is done when it is moved, so that a test meets the same state every time.
  if (service_.clock().is_virtual()) background_.due = never;
  while (!end_signal_.has_come()) {
    do_chores();
    take_turn();
  }
  let_go_of_all();
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
    if (!problem) take_on(std::move(socket));
  }
  if (!problem || problem == asio::error::would_block) return;
  // Out of sockets, most likely.
  epoll_.forget(acceptor_.native_handle());
  accepting_.due = now_ + time_without_sockets;
}

double HttpServer::Loop::accept_again() {
  epoll_.watch(acceptor_.native_handle(), Epoll::For::reading, newcomers_);
  return never;
}

void HttpServer::Loop::take_on(tcp::socket socket) {
  if (connections_.size() >= options_.most_connections + most_refused) return;  // closed without a word
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

// Requests that come at the same time share a commit: none is answered before what it did is safe. Sending all
// answers together helps even without a journal: a client waiting for several is woken once.
void HttpServer::Loop::commit_and_send() {
  if (answered_.empty()) return;
  const auto failure = service_.commit();
  for (Connection* connection : std::exchange(answered_, {})) {
    if (failure) connection->answer_instead(*failure);
    connection->send();
  }
}

double HttpServer::Loop::close_what_waits_too_long() {
  for (Connection* connection : all_connections()) connection->check_time(options_.idle_seconds);
  return std::clamp(options_.idle_seconds / 4, 0.01, 1.0);
}

// Between two pieces of work, requests have their turn.
double HttpServer::Loop::work_in_background() {
  const bool has_more = service_.work_in_background();
  if (answered_.empty()) service_.commit();
  return has_more ? 0 : time_between_background_work;
}

// What was begun to be answered is answered, if the client takes it soon.
void HttpServer::Loop::let_go_of_all() {
  error_code ignored;
  acceptor_.close(ignored);
  for (Connection* connection : all_connections()) connection->leave();
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
