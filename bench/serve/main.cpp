// mayfly bench serve: what `mayfly serve` does in a second, over HTTP and with signatures, and how long an answer
// takes.

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bars.hpp"
#include "load.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/input_error.hpp"
#include "own_server.hpp"
#include "processors.hpp"
#include "requests.hpp"

namespace {

using namespace mayfly;
using namespace mayfly::bench;
using boost::asio::ip::tcp;

struct Options {
  std::size_t connections = 32;
  double seconds = 3;
  std::size_t items = 10'000;
  std::optional<std::string> data;
  std::optional<std::string> peer;
};

constexpr std::uint64_t least_rate = 40'000;  // that the server is to answer
constexpr std::uint64_t calm_rate = least_rate / 2;
constexpr double most_milliseconds = 5;  // that it may take for 99 of 100 at that rate
constexpr double least_times_peer = 10;

void add_options(CLI::App& app, Options& options) {
  app.add_option("--connections", options.connections, "How many are kept open")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "How long each figure is measured")
      ->check(CLI::Range(0.01, 3600.0))
      ->capture_default_str();
  app.add_option("--items", options.items, "How many are read and written")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  app.add_option("--data", options.data, "Let the server keep its items in this file, which must be new");
  app.add_option("--peer", options.peer,
                 "HOST:PORT of another server that takes plain HTTP, to be asked the same in the same run");
}

tcp::endpoint endpoint_of(const std::string& peer) {
  const auto colon = peer.rfind(':');
  boost::system::error_code problem;
  const auto address = boost::asio::ip::make_address(peer.substr(0, std::min(colon, peer.size())), problem);
  const std::string digits = colon == std::string::npos ? "" : peer.substr(colon + 1);
  std::uint16_t port = 0;
  if (problem || !CLI::detail::lexical_cast(digits, port) || port == 0)
    throw InputError(
        fmt::format("--peer must be a numeric address and a port such as 127.0.0.1:3000, got \"{}\"", peer));
  return {address, port};
}

void show(const char* who, const char* what, const std::string& how, const Figures& f) {
  fmt::print("{:<6} {:<6} {:<20} {:>7}/s  p50 {:>8.3f} ms  p99 {:>8.3f} ms\n", who, what, how,
             with_commas(static_cast<std::uint64_t>(f.per_second)), f.p50 * 1e3, f.p99 * 1e3);
  std::fflush(stdout);
}

class Comparison {
 public:
  explicit Comparison(const Options& options)
      : options_(options),
        own_(options.data),
        requests_(make_requests(options.items)),
        load_({boost::asio::ip::address_v4::loopback(), own_.port()}, options.connections) {
    if (options.peer) peer_.emplace(endpoint_of(*options.peer), options.connections);
  }

  void run() {
    fill(load_);
    if (peer_) fill(*peer_);
    fmt::print("{} connections, {} items\n", options_.connections, with_commas(options_.items));
    measure("reads", requests_.reads);
    measure("writes", requests_.writes);
    if (peer_) peer_->one_after_the_other(requests_.end);
    if (!options_.data) fmt::print("\n{}", table(bars_));  // the bars are of a server that keeps nothing
    fmt::print("other processes used {:.0f}% of the processors meanwhile\n", 100 * share_of_others());
  }

 private:
  void fill(Load& load) {
    load.one_after_the_other(requests_.setup);
    load.each_once(requests_.writes);
  }

  /// Of all processors, while our own server was measured.
  double share_of_others() const { return std::max(0.0, others_.busy / (others_.seconds * Processors::count())); }

  /// Measures, and notes what others did meanwhile.
  template <class Measure>
  Figures watching_others(Measure measure) {
    const auto others = [this] { return Processors::busy_seconds() - Processors::own_seconds() - own_.cpu_seconds(); };
    const Stopwatch watch;
    const double before = others();
    const Figures figures = measure();
    others_.busy += others() - before;
    others_.seconds += watch.seconds();
    return figures;
  }

  void measure(const char* what, const std::vector<std::string>& requests) {
    const double fastest = measure_fastest(what, requests);
    measure_at_rate(what, requests, fastest / 2);
    const Figures calm = measure_at_rate(what, requests, calm_rate);
    bars_.push_back({fmt::format("{} a second", what), Kind::at_least, least_rate, fastest});
    bars_.push_back({fmt::format("p99 of {} at {} a second, in ms", what, with_commas(calm_rate)), Kind::at_most,
                     most_milliseconds, calm.p99 * 1e3});
    if (!peer_) return;
    const Figures others = peer_->as_fast_as_answered(requests, options_.seconds);
    show("peer", what, "as fast as answered", others);
    bars_.push_back(
        {fmt::format("{}, times the peer's", what), Kind::at_least, least_times_peer, fastest / others.per_second});
  }

  double measure_fastest(const char* what, const std::vector<std::string>& requests) {
    const double before = own_.cpu_seconds();
    const Figures fastest = watching_others([&] { return load_.as_fast_as_answered(requests, options_.seconds); });
    const double processor = (own_.cpu_seconds() - before) / (fastest.per_second * options_.seconds);
    show("mayfly", what, "as fast as answered", fastest);
    fmt::print("mayfly {:<6} {:.1f} us of the server's processor for each\n", what, processor * 1e6);
    return fastest.per_second;
  }

  Figures measure_at_rate(const char* what, const std::vector<std::string>& requests, double rate) {
    const Figures figures = watching_others([&] { return load_.at_rate(requests, rate, options_.seconds); });
    show("mayfly", what, fmt::format("at {} a second", with_commas(static_cast<std::uint64_t>(rate))), figures);
    return figures;
  }

  using Kind = ServeBar::Kind;
  struct Others {
    double busy = 0;
    double seconds = 0;
  };

  const Options& options_;
  OwnServer own_;
  Requests requests_;
  Load load_;
  std::optional<Load> peer_;
  std::vector<ServeBar> bars_;
  Others others_;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("What mayfly serve answers in a second, every request signed, the load on the same machine.");
  add_options(app, options);
  try {
    app.parse(argc, argv);
    Comparison(options).run();
    return 0;
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const std::runtime_error& problem) {
    fmt::print(stderr, "mayfly: {}\n", problem.what());
    return 2;
  }
}
