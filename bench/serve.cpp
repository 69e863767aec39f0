// What a server does in a second, over HTTP and with signatures: a load generator for `mayfly serve`.
//
//   mayfly_bench_serve [--connections N] [--seconds S] [--items N] [--target HOST:PORT]
//
// Without a target it starts a server of its own, in a process of its own. It first asks as fast as it is answered, and
// then at half that rate, when latency is measured from the moment a request was due, so that waiting for a late answer
// counts for all that were due meanwhile.

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/serve/http_server.hpp"
#include "mayfly/sim/stopwatch.hpp"

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using namespace mayfly;
using namespace mayfly::serve;

struct Options {
  std::size_t connections = 32;
  double seconds = 3;
  std::size_t items = 10'000;
  std::string target;
};

// ---- requests

std::string percent_encoded(const std::string& text) {
  std::string encoded;
  for (const char c : text)
    encoded += std::isalnum(static_cast<unsigned char>(c)) ? std::string(1, c) : fmt::format("%{:02X}", c);
  return encoded;
}

/// Whole requests, signed, as a client would send them.
class Requests {
 public:
  std::string make(Verb verb, const std::string& path, const std::string& more, const std::string& body) const {
    constexpr std::string_view date = "tue, 14 nov 2023 22:13:20 gmt";
    const Field field{"x-ms-date", date};
    const Request request{.verb = verb, .target = path, .fields = {&field, 1}, .body = {}};
    const Address address(path);
    const std::string signature = key_.signature(text_to_sign(request, address.kind(), address.link()));
    std::string name(name_of(verb));
    std::transform(name.begin(), name.end(), name.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
    return fmt::format(
        "{} {} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/json\r\ncache-control: no-cache\r\n"
        "user-agent: mayfly-bench\r\nx-ms-version: 2018-12-31\r\nx-ms-date: {}\r\nauthorization: {}\r\n{}"
        "content-length: {}\r\n\r\n{}",
        name, path, date, percent_encoded("type=master&ver=1.0&sig=" + signature), more, body.size(), body);
  }

 private:
  Authorization key_{emulator_key};
};

constexpr const char* items_path = "/dbs/bench/colls/items/docs";

std::string partition_field(std::size_t i) {
  return fmt::format("x-ms-documentdb-partitionkey: [\"p{}\"]\r\n", i % 1000);
}

std::vector<std::string> reads(const Requests& requests, std::size_t items) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < items; ++i)
    all.push_back(requests.make(Verb::get, fmt::format("{}/item-{}", items_path, i), partition_field(i), ""));
  return all;
}

std::vector<std::string> writes(const Requests& requests, std::size_t items) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < items; ++i) {
    const std::string body =
        fmt::format(R"({{"id":"item-{}","pk":"p{}","ttl":{},"user":"somebody","basket":[1,2,3],"note":"{:x>200}"}})", i,
                    i % 1000, 3600 + i, "");
    all.push_back(requests.make(Verb::post, items_path,
                                partition_field(i) + "x-ms-documentdb-is-upsert: true\r\n"
                                                     "content-type: application/json\r\n",
                                body));
  }
  return all;
}

// ---- connections

/// The length of the whole answer at the front, or 0 if some of it is missing.
std::size_t answer_length(std::string_view bytes) {
  constexpr std::string_view field = "content-length: ";
  const auto end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) return 0;
  const auto at = bytes.substr(0, end).find(field);
  const std::size_t body =
      at == std::string_view::npos ? 0 : std::strtoul(bytes.data() + at + field.size(), nullptr, 10);
  return bytes.size() >= end + 4 + body ? end + 4 + body : 0;
}

class Client {
 public:
  Client(asio::io_context& context, const tcp::endpoint& server) : socket_(context) {
    socket_.connect(server);
    socket_.set_option(tcp::no_delay(true));
  }

  /// Calls `done()` when the answer is there.
  template <class Done>
  void ask(const std::string& request, Done done) {
    asio::async_write(socket_, asio::buffer(request), [this, done](error_code problem, std::size_t) {
      if (problem) throw std::runtime_error("a request could not be sent: " + problem.message());
      received_ = 0;
      await(done);
    });
  }

 private:
  template <class Done>
  void await(Done done) {
    if (received_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
    socket_.async_read_some(asio::buffer(buffer_.data() + received_, buffer_.size() - received_),
                            [this, done](error_code problem, std::size_t count) {
                              if (problem) throw std::runtime_error("no answer: " + problem.message());
                              received_ += count;
                              const std::string_view bytes(buffer_.data(), received_);
                              if (answer_length(bytes) == 0) return await(done);
                              if (!bytes.starts_with("HTTP/1.1 20"))
                                throw std::runtime_error("a bad answer: " + std::string(bytes.substr(0, 400)));
                              done();
                            });
  }

  tcp::socket socket_;
  std::string buffer_ = std::string(4096, '\0');
  std::size_t received_ = 0;
};

struct Figures {
  double per_second = 0;
  double p50 = 0;
  double p99 = 0;
};

Figures figures(std::vector<double>& latencies, double seconds) {
  std::sort(latencies.begin(), latencies.end());
  const auto at = [&](double share) {
    return latencies.empty() ? 0
                             : latencies[static_cast<std::size_t>(share * static_cast<double>(latencies.size() - 1))];
  };
  return {static_cast<double>(latencies.size()) / seconds, at(0.5), at(0.99)};
}

class Load {
 public:
  Load(const tcp::endpoint& server, std::size_t connections) {
    for (std::size_t i = 0; i < connections; ++i) clients_.push_back(std::make_unique<Client>(context_, server));
  }

  void once(const std::string& request) {
    clients_.front()->ask(request, [] {});
    context_.restart();
    context_.run();
  }

  /// Every connection asks again as soon as it is answered.
  Figures as_fast_as_answered(const std::vector<std::string>& requests, double seconds) {
    latencies_.clear();
    const Stopwatch watch;
    for (auto& client : clients_) ask_until(*client, requests, watch, seconds);
    context_.restart();
    context_.run();
    return figures(latencies_, watch.seconds());
  }

  /// Asks so many times a second, whatever the answers do.
  Figures at_rate(const std::vector<std::string>& requests, double rate, double seconds) {
    latencies_.clear();
    std::deque<Client*> free;
    for (auto& client : clients_) free.push_back(client.get());
    const Stopwatch watch;
    std::size_t sent = 0;
    context_.restart();
    while (watch.seconds() < seconds || free.size() < clients_.size()) {
      const double due = static_cast<double>(sent) / rate;
      if (due < seconds && due <= watch.seconds() && !free.empty()) {
        Client* client = free.front();
        free.pop_front();
        ++sent;
        client->ask(next(requests), [this, client, due, &free, &watch] {
          latencies_.push_back(watch.seconds() - due);
          free.push_back(client);
        });
      }
      context_.poll();
      context_.restart();
    }
    return figures(latencies_, watch.seconds());
  }

 private:
  const std::string& next(const std::vector<std::string>& requests) {
    return requests[(turn_ += 7919) % requests.size()];  // a prime: in no order that caches like
  }

  void ask_until(Client& client, const std::vector<std::string>& requests, const Stopwatch& watch, double seconds) {
    const double start = watch.seconds();
    if (start >= seconds) return;
    client.ask(next(requests), [this, &client, &requests, &watch, seconds, start] {
      latencies_.push_back(watch.seconds() - start);
      ask_until(client, requests, watch, seconds);
    });
  }

  asio::io_context context_{1};
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<double> latencies_;
  std::size_t turn_ = 0;
};

// ---- the server

/// A server in another process, for as long as this one lives.
class OwnServer {
 public:
  OwnServer() {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    child_ = ::fork();
    if (child_ == 0) serve(ends[1]);
    ::close(ends[1]);
    if (::read(ends[0], &port_, sizeof port_) != sizeof port_) throw std::runtime_error("the server did not start");
    ::close(ends[0]);
  }
  ~OwnServer() {
    ::kill(child_, SIGTERM);
    ::waitpid(child_, nullptr, 0);
  }
  OwnServer(const OwnServer&) = delete;
  OwnServer& operator=(const OwnServer&) = delete;

  std::uint16_t port() const { return port_; }

  /// Seconds of processor time that it has used.
  double cpu_seconds() const {
    clockid_t clock{};
    timespec time{};
    if (::clock_getcpuclockid(child_, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0;
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

 private:
  [[noreturn]] static void serve(int pipe) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    Service service({}, ServiceClock::real());
    HttpServer server(service, {.port = 0});
    const std::uint16_t port = server.port();
    if (::write(pipe, &port, sizeof port) != sizeof port) std::_Exit(1);
    server.run();
    std::_Exit(0);
  }

  pid_t child_ = 0;
  std::uint16_t port_ = 0;
};

// ---- the command

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw InputError(name + " needs a value");
    const std::string value = argv[i + 1];
    if (name == "--connections")
      options.connections = std::max<std::size_t>(1, std::strtoul(value.c_str(), nullptr, 10));
    else if (name == "--seconds")
      options.seconds = std::max(0.01, std::strtod(value.c_str(), nullptr));
    else if (name == "--items")
      options.items = std::max<std::size_t>(1, std::strtoul(value.c_str(), nullptr, 10));
    else if (name == "--target")
      options.target = value;
    else
      throw InputError("\"" + name + "\" is not understood: --connections, --seconds, --items, --target");
  }
  return options;
}

tcp::endpoint endpoint_of(const std::string& target) {
  const auto colon = target.rfind(':');
  if (colon == std::string::npos) throw InputError("--target must be HOST:PORT");
  return {asio::ip::make_address(target.substr(0, colon)),
          static_cast<std::uint16_t>(std::strtoul(target.c_str() + colon + 1, nullptr, 10))};
}

void show(const char* what, const char* how, const Figures& f) {
  fmt::print("{:<8}{:<22}{:>10.0f}/s   p50 {:>7.3f} ms   p99 {:>7.3f} ms\n", what, how, f.per_second, f.p50 * 1e3,
             f.p99 * 1e3);
  std::fflush(stdout);
}

void run(const Options& options) {
  std::optional<OwnServer> own;
  if (options.target.empty()) own.emplace();
  const tcp::endpoint server =
      own ? tcp::endpoint(asio::ip::address_v4::loopback(), own->port()) : endpoint_of(options.target);
  const Requests requests;
  Load load(server, options.connections);
  load.once(requests.make(Verb::post, "/dbs", "", R"({"id":"bench"})"));
  load.once(requests.make(Verb::post, "/dbs/bench/colls", "",
                          R"({"id":"items","partitionKey":{"paths":["/pk"],"kind":"Hash"},"defaultTtl":-1})"));
  const auto all_writes = writes(requests, options.items);
  for (const auto& write : all_writes) load.once(write);
  fmt::print("{} connections, {} items\n", options.connections, options.items);
  for (const auto& [what, all] :
       {std::pair{"reads", reads(requests, options.items)}, std::pair{"writes", all_writes}}) {
    const double before = own ? own->cpu_seconds() : 0;
    const Figures fastest = load.as_fast_as_answered(all, options.seconds);
    show(what, "as fast as answered", fastest);
    if (own)
      fmt::print("{:<8}{:.1f} us of the server's processor for each\n", what,
                 (own->cpu_seconds() - before) / (fastest.per_second * options.seconds) * 1e6);
    show(what, "at half that rate", load.at_rate(all, fastest.per_second / 2, options.seconds));
    show(what, "at 20 thousand a second", load.at_rate(all, 20'000, options.seconds));
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse(argc, argv));
    return 0;
  } catch (const std::runtime_error& problem) {
    fmt::print(stderr, "mayfly: {}\n", problem.what());
    return 2;
  }
}
