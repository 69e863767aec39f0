#pragma once

#include <memory>
#include <vector>

#include "client.hpp"
#include "mayfly/sim/stopwatch.hpp"

namespace mayfly::bench {

struct Figures {
  double per_second = 0;
  double p50 = 0;  ///< seconds until an answer, at the median
  double p99 = 0;
};

/// Clients of one server, on one thread. It uses little of the processor, which the server shares. After an interrupt
/// they throw Interrupted as soon as all answers have arrived.
class Load {
 public:
  enum class Over { http, https };
  Load(const boost::asio::ip::tcp::endpoint& server, std::size_t connections, Over over = Over::http);

  /// Sends each request once, after the answer to the one before.
  void send_in_order(const std::vector<std::string>& requests);

  /// Sends each request once, over all connections.
  void send_all(const std::vector<std::string>& requests);

  /// Closed loop: every connection sends its next request as soon as it has an answer.
  Figures closed_loop(const std::vector<std::string>& requests, double seconds);

  /// Open loop: requests are due at this rate, however late the answers are. Latency counts from the moment a request
  /// is due, so a late answer also counts for the requests that were due meanwhile.
  Figures open_loop(const std::vector<std::string>& requests, double rate, double seconds);

 private:
  void wait(double at_most_seconds);
  void begin();
  void wait_for_all();
  const std::string& next(const std::vector<std::string>& requests);
  Figures finish(double seconds);

  serve::Epoll epoll_;
  boost::asio::io_context context_{1};
  std::unique_ptr<ssl_ctx_st, void (*)(ssl_ctx_st*)> tls_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<double> latencies_;
  std::size_t turn_ = 0;
};

}  // namespace mayfly::bench
