// mayfly bench serve: how many requests `mayfly serve` answers in a second, over HTTP and with signatures, and how long
// an answer takes.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "../bar.hpp"
#include "../cpu_clock.hpp"
#include "../interrupt.hpp"
#include "../machine.hpp"
#include "load.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/input_error.hpp"
#include "own_server.hpp"
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

// The bars.
constexpr std::uint64_t least_rate = 40'000;
constexpr std::uint64_t calm_rate = least_rate / 2;
constexpr double most_milliseconds = 5;  // at the calm rate
constexpr double least_times_peer = 10;
constexpr double least_times_http = 0.5;  // over https, of the same over plain http

void add_options(CLI::App& app, Options& options) {
  app.add_option("--connections", options.connections, "Connections that are kept open")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "Duration of each measurement")
      ->check(CLI::Range(0.01, 3600.0))
      ->capture_default_str();
  app.add_option("--items", options.items, "Items that are read and written")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  app.add_option("--data", options.data, "The server keeps a journal in this file, which must be new");
  app.add_option("--peer", options.peer, "HOST:PORT of another server over plain HTTP, measured in the same run");
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

void print(const std::string& text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

void show(const char* server, const char* what, const std::string& how, const Figures& f) {
  print(fmt::format("{:<6} {:<6} {:<18} {:>7}/s  p50 {:>8.3f} ms  p99 {:>8.3f} ms\n", server, what, how,
                    with_commas(static_cast<std::uint64_t>(f.per_second)), f.p50 * 1e3, f.p99 * 1e3));
}

/// Seconds that all processors together have been busy since the system started.
double busy_seconds() {
  std::ifstream file("/proc/stat");
  std::string name;
  double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0, soft_interrupts = 0, stolen = 0;
  file >> name >> user >> nice >> system >> idle >> waiting >> interrupts >> soft_interrupts >> stolen;
  return (user + nice + system + interrupts + soft_interrupts + stolen) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

/// A new folder, which is removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = std::filesystem::temp_directory_path() / "mayfly-bench-XXXXXX";
    if (!::mkdtemp(name.data())) throw std::runtime_error("cannot make a temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class Comparison {
 public:
  explicit Comparison(const Options& options)
      : options_(options),
        own_(options.data),
        secure_({}, serve::own_tls_files(folder_.path())),
        requests_(make_requests(options.items)),
        load_({boost::asio::ip::address_v4::loopback(), own_.port()}, options.connections),
        secure_load_({boost::asio::ip::address_v4::loopback(), secure_.port()}, options.connections,
                     Load::Over::https) {
    if (options.peer) peer_.emplace(endpoint_of(*options.peer), options.connections);
  }

  void run() {
    print(text(machine_));
    const bool is_complete = measure_until_interrupted();
    if (peer_) peer_->send_in_order(requests_.end);
    if (!is_complete) print("\nInterrupted: the other measurements are missing.\n");
    if (!options_.data) print("\n" + table(bars_));  // the bars are for a server without a journal
    if (others_.seconds > 0)
      print(fmt::format("\nOther processes used {:.0f}% of the processors during the measurements.\n",
                        100 * share_of_others()));
  }

 private:
  void fill(Load& load) {
    load.send_in_order(requests_.setup);
    load.send_all(requests_.writes);
  }

  bool measure_until_interrupted() try {
    fill(load_);
    fill(secure_load_);
    if (peer_) fill(*peer_);
    print(fmt::format("{} connections, {} items\n", options_.connections, with_commas(options_.items)));
    compare_https("reads", requests_.reads, measure("reads", requests_.reads));
    compare_https("writes", requests_.writes, measure("writes", requests_.writes));
    return true;
  } catch (const Interrupted&) {
    return false;
  } catch (const std::runtime_error&) {
    if (interrupted == 0) throw;
    return false;  // Ctrl-C in a terminal also ends our server
  }

  /// Of all processors, while our own server was measured.
  double share_of_others() const { return std::max(0.0, others_.busy / (others_.seconds * machine_.cpu.num_cpus)); }

  /// Measures, and adds the processor time that other processes used meanwhile.
  template <class Measure>
  Figures watching_others(Measure measure) {
    const auto others = [this] {
      return busy_seconds() - seconds_on(CLOCK_PROCESS_CPUTIME_ID) - own_.cpu_seconds() - secure_.cpu_seconds();
    };
    const Stopwatch watch;
    const double before = others();
    const Figures figures = measure();
    others_.busy += others() - before;
    others_.seconds += watch.seconds();
    return figures;
  }

  /// Returns the number of requests answered in a second.
  double measure(const char* what, const std::vector<std::string>& requests) {
    const double fastest = measure_fastest(own_, load_, "http", what, requests);
    bars_.push_back({fmt::format("{} a second", what), least_rate, fastest, "", true});
    measure_at_rate(what, requests, fastest / 2);
    const Figures calm = measure_at_rate(what, requests, calm_rate);
    bars_.push_back({fmt::format("p99 of {} at {} a second", what, with_commas(calm_rate)), most_milliseconds,
                     calm.p99 * 1e3, "ms"});
    if (!peer_) return fastest;
    const Figures others = peer_->closed_loop(requests, options_.seconds);
    show("peer", what, "closed loop", others);
    bars_.push_back({what, least_times_peer, fastest / others.per_second, "x peer", true});
    return fastest;
  }

  void compare_https(const char* what, const std::vector<std::string>& requests, double over_http) {
    const double over_https = measure_fastest(secure_, secure_load_, "https", what, requests);
    bars_.push_back({fmt::format("{} over https", what), least_times_http, over_https / over_http, "x http", true});
  }

  double measure_fastest(const OwnServer& server, Load& load, const char* scheme, const char* what,
                         const std::vector<std::string>& requests) {
    const double before = server.cpu_seconds();
    const Figures fastest = watching_others([&] { return load.closed_loop(requests, options_.seconds); });
    const double processor = (server.cpu_seconds() - before) / (fastest.per_second * options_.seconds);
    show("mayfly", what, fmt::format("closed loop, {}", scheme), fastest);
    print(fmt::format("mayfly {:<6} {:.1f} us of the server's processor time for each\n", what, processor * 1e6));
    return fastest.per_second;
  }

  Figures measure_at_rate(const char* what, const std::vector<std::string>& requests, double rate) {
    const Figures figures = watching_others([&] { return load_.open_loop(requests, rate, options_.seconds); });
    show("mayfly", what, fmt::format("at {} a second", with_commas(static_cast<std::uint64_t>(rate))), figures);
    return figures;
  }

  struct Others {
    double busy = 0;
    double seconds = 0;
  };

  const Options& options_;
  Machine machine_ = Machine::observe();  // before there is any load
  TemporaryFolder folder_;
  OwnServer own_;
  OwnServer secure_;
  Requests requests_;
  Load load_;
  Load secure_load_;
  std::optional<Load> peer_;
  std::vector<Bar> bars_;
  Others others_;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Measures mayfly serve with signed requests from the same machine.", "mayfly bench serve");
  add_options(app, options);
  try {
    app.parse(argc, argv);
    Comparison comparison(options);
    watch_for_interrupt();
    comparison.run();
    return interrupted == 0 ? 0 : 128 + interrupted;
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const std::runtime_error& problem) {
    fmt::print(stderr, "mayfly: {}\n", problem.what());
    return 2;
  }
}
