#include "load.hpp"

#include <algorithm>
#include <deque>
#include <sched.h>
#include <stdexcept>
#include <sys/prctl.h>

namespace mayfly::bench {

namespace {

constexpr double patience = 30;  // seconds without any answer

/// For as long as this lives, the process does not interrupt another when it wakes up. Else, where both share a
/// processor, every answer would take it from the server to be looked at, and that is what would be measured.
class GivesWay {
 public:
  GivesWay() { change(SCHED_OTHER, SCHED_BATCH); }
  ~GivesWay() { change(SCHED_BATCH, SCHED_OTHER); }
  GivesWay(const GivesWay&) = delete;
  GivesWay& operator=(const GivesWay&) = delete;

 private:
  // Whoever gave the process another policy has a reason.
  static void change(int from, int to) {
    const sched_param none{};
    if (::sched_getscheduler(0) == from) ::sched_setscheduler(0, to, &none);
  }
};

Figures figures(std::vector<double>& latencies, double seconds) {
  std::sort(latencies.begin(), latencies.end());
  const auto at = [&](double share) {
    return latencies.empty() ? 0
                             : latencies[static_cast<std::size_t>(share * static_cast<double>(latencies.size() - 1))];
  };
  return {static_cast<double>(latencies.size()) / seconds, at(0.5), at(0.99)};
}

}  // namespace

Load::Load(const boost::asio::ip::tcp::endpoint& server, std::size_t connections) {
  ::prctl(PR_SET_TIMERSLACK, 1);  // else a request that is due waits for 50 us more
  for (std::size_t i = 0; i < connections; ++i) clients_.push_back(std::make_unique<Client>(epoll_, context_, server));
}

void Load::one_after_the_other(const std::vector<std::string>& requests) {
  const Client::Done nothing = [](Client&) {};
  for (const auto& request : requests) {
    clients_.front()->ask(request, 0, nothing);
    wait_for_all();
  }
}

void Load::each_once(const std::vector<std::string>& requests) {
  std::size_t asked = 0;
  const Client::Done ask_next = [&](Client& client) {
    if (asked < requests.size()) client.ask(requests[asked++], 0, ask_next);
  };
  for (auto& client : clients_) ask_next(*client);
  wait_for_all();
}

Figures Load::as_fast_as_answered(const std::vector<std::string>& requests, double seconds) {
  notice_what_was_closed();
  latencies_.clear();
  const GivesWay gives_way;
  const Stopwatch watch;
  const Client::Done ask_again = [&](Client& client) {
    const double now = watch.seconds();
    latencies_.push_back(now - client.due());
    if (now < seconds) client.ask(next(requests), now, ask_again);
  };
  for (auto& client : clients_) client->ask(next(requests), watch.seconds(), ask_again);
  wait_for_all();
  return figures(latencies_, watch.seconds());
}

Figures Load::at_rate(const std::vector<std::string>& requests, double rate, double seconds) {
  notice_what_was_closed();
  latencies_.clear();
  std::deque<Client*> free;
  for (auto& client : clients_) free.push_back(client.get());
  const Stopwatch watch;
  const Client::Done done = [&](Client& client) {
    latencies_.push_back(watch.seconds() - client.due());
    free.push_back(&client);
  };
  const auto all = static_cast<std::size_t>(rate * seconds);
  for (std::size_t sent = 0; sent < all;) {
    const double due = static_cast<double>(sent) / rate;
    const double now = watch.seconds();
    if (due > now || free.empty()) {
      wait(free.empty() ? patience : due - now);
      continue;
    }
    Client* client = free.front();
    free.pop_front();
    ++sent;
    client->ask(next(requests), due, done);
  }
  wait_for_all();
  return figures(latencies_, watch.seconds());
}

void Load::wait(double at_most_seconds) {
  const std::chrono::duration<double> time(at_most_seconds);
  const auto ready = epoll_.wait(std::chrono::ceil<std::chrono::nanoseconds>(time));
  if (ready.empty() && at_most_seconds >= patience) throw std::runtime_error("there is no answer");
  for (auto* client : ready) client->is_ready();
}

// A peer may close connections that nobody used for a while.
void Load::notice_what_was_closed() {
  for (auto ready = epoll_.wait({}); !ready.empty(); ready = epoll_.wait({}))
    for (auto* client : ready) client->is_ready();
}

void Load::wait_for_all() {
  const auto is_waiting = [](const auto& client) { return client->is_waiting(); };
  while (std::any_of(clients_.begin(), clients_.end(), is_waiting)) wait(patience);
}

const std::string& Load::next(const std::vector<std::string>& requests) {
  return requests[(turn_ += 7919) % requests.size()];  // a prime: in no order that caches like
}

}  // namespace mayfly::bench
