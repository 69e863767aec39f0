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

/// Clients that ask a server at the same time, on one thread. They take no more of the processor than they must, for
/// the server is on the same machine.
class Load {
 public:
  Load(const boost::asio::ip::tcp::endpoint& server, std::size_t connections);

  /// Asks each of these once, one after the other.
  void one_after_the_other(const std::vector<std::string>& requests);

  /// Asks each of these once.
  void each_once(const std::vector<std::string>& requests);

  /// Every connection asks again as soon as it is answered.
  Figures as_fast_as_answered(const std::vector<std::string>& requests, double seconds);

  /// Asks so many times a second, whatever the answers do. Latency counts from the moment a request was due, so that
  /// waiting for a late answer counts for all that were due meanwhile.
  Figures at_rate(const std::vector<std::string>& requests, double rate, double seconds);

 private:
  void wait(double at_most_seconds);
  void notice_what_was_closed();
  void wait_for_all();
  const std::string& next(const std::vector<std::string>& requests);

  serve::Epoll epoll_;
  boost::asio::io_context context_{1};
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<double> latencies_;
  std::size_t turn_ = 0;
};

}  // namespace mayfly::bench
