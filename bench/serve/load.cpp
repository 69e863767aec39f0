#include "load.hpp"

#include <algorithm>
#include <deque>
#include <openssl/ssl.h>
#include <sched.h>
#include <stdexcept>
#include <sys/prctl.h>

#include "../interrupt.hpp"

namespace mayfly::bench {

namespace {

constexpr double timeout_seconds = 30;  // without any answer

/// While this lives, the process does not preempt others when it wakes up (SCHED_BATCH). Otherwise, on a processor that
/// both share, every answer would preempt the server, and the benchmark would measure that.
class BatchScheduling {
 public:
  BatchScheduling() { change(SCHED_OTHER, SCHED_BATCH); }
  ~BatchScheduling() { change(SCHED_BATCH, SCHED_OTHER); }
  BatchScheduling(const BatchScheduling&) = delete;
  BatchScheduling& operator=(const BatchScheduling&) = delete;

 private:
  // Any other policy was chosen by the caller, and stays.
  static void change(int from, int to) {
    const sched_param none{};
    if (::sched_getscheduler(0) == from) ::sched_setscheduler(0, to, &none);
  }
};

}  // namespace

Load::Load(const boost::asio::ip::tcp::endpoint& server, std::size_t connections, Over over)
    : tls_(over == Over::https ? ::SSL_CTX_new(::TLS_client_method()) : nullptr, ::SSL_CTX_free) {
  ::prctl(PR_SET_TIMERSLACK, 1);  // by default a timer is up to 50 us late
  for (std::size_t i = 0; i < connections; ++i)
    clients_.push_back(std::make_unique<Client>(epoll_, context_, server, tls_.get()));
}

void Load::send_in_order(const std::vector<std::string>& requests) {
  const Client::Done nothing = [](Client&) {};
  for (const auto& request : requests) {
    clients_.front()->send(request, 0, nothing);
    wait_for_all();
  }
}

void Load::send_all(const std::vector<std::string>& requests) {
  std::size_t sent = 0;
  const Client::Done send_next = [&](Client& client) {
    if (sent < requests.size() && interrupted == 0) client.send(requests[sent++], 0, send_next);
  };
  for (auto& client : clients_) send_next(*client);
  wait_for_all();
  stop_if_interrupted();
}

Figures Load::closed_loop(const std::vector<std::string>& requests, double seconds) {
  begin();
  const BatchScheduling batch;
  const Stopwatch watch;
  const Client::Done send_again = [&](Client& client) {
    const double now = watch.seconds();
    latencies_.push_back(now - client.due());
    if (now < seconds && interrupted == 0) client.send(next(requests), now, send_again);
  };
  for (auto& client : clients_) client->send(next(requests), watch.seconds(), send_again);
  wait_for_all();
  return finish(watch.seconds());
}

Figures Load::open_loop(const std::vector<std::string>& requests, double rate, double seconds) {
  begin();
  std::deque<Client*> free;
  for (auto& client : clients_) free.push_back(client.get());
  const Stopwatch watch;
  const Client::Done done = [&](Client& client) {
    latencies_.push_back(watch.seconds() - client.due());
    free.push_back(&client);
  };
  const auto all = static_cast<std::size_t>(rate * seconds);
  for (std::size_t sent = 0; sent < all && interrupted == 0;) {
    const double due = static_cast<double>(sent) / rate;
    const double now = watch.seconds();
    if (due > now || free.empty()) {
      wait(free.empty() ? timeout_seconds : due - now);
      continue;
    }
    Client* client = free.front();
    free.pop_front();
    ++sent;
    client->send(next(requests), due, done);
  }
  wait_for_all();
  return finish(watch.seconds());
}

void Load::wait(double at_most_seconds) {
  const std::chrono::duration<double> time(at_most_seconds);
  const auto ready = epoll_.wait(std::chrono::ceil<std::chrono::nanoseconds>(time));
  if (ready.empty() && at_most_seconds >= timeout_seconds && interrupted == 0)  // a signal ends the wait
    throw std::runtime_error("there is no answer");
  for (auto* client : ready) client->is_ready();
}

// A server may have closed connections that were idle for a while.
void Load::begin() {
  for (auto ready = epoll_.wait({}); !ready.empty(); ready = epoll_.wait({}))
    for (auto* client : ready) client->is_ready();
  latencies_.clear();
}

void Load::wait_for_all() {
  const auto is_waiting = [](const auto& client) { return client->is_waiting(); };
  while (std::any_of(clients_.begin(), clients_.end(), is_waiting)) wait(timeout_seconds);
}

// Steps by a prime, so that the order favours no cache.
const std::string& Load::next(const std::vector<std::string>& requests) {
  return requests[(turn_ += 7919) % requests.size()];
}

Figures Load::finish(double seconds) {
  stop_if_interrupted();
  std::sort(latencies_.begin(), latencies_.end());
  const auto at = [&](double share) {
    return latencies_.empty()
               ? 0
               : latencies_[static_cast<std::size_t>(share * static_cast<double>(latencies_.size() - 1))];
  };
  return {static_cast<double>(latencies_.size()) / seconds, at(0.5), at(0.99)};
}

}  // namespace mayfly::bench
