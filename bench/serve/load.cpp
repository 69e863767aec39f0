#include "load.hpp"

#include <algorithm>

namespace mayfly::bench {

namespace {

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
  for (std::size_t i = 0; i < connections; ++i) clients_.push_back(std::make_unique<Client>(context_, server));
}

void Load::one_after_the_other(const std::vector<std::string>& requests) {
  for (const auto& request : requests) {
    clients_.front()->ask(request, [] {});
    run();
  }
}

void Load::each_once(const std::vector<std::string>& requests) {
  std::size_t asked = 0;
  for (auto& client : clients_) ask_rest(*client, requests, asked);
  run();
}

Figures Load::as_fast_as_answered(const std::vector<std::string>& requests, double seconds) {
  latencies_.clear();
  const Stopwatch watch;
  for (auto& client : clients_) ask_until(*client, requests, watch, seconds);
  run();
  return figures(latencies_, watch.seconds());
}

Figures Load::at_rate(const std::vector<std::string>& requests, double rate, double seconds) {
  latencies_.clear();
  std::deque<Client*> free;
  for (auto& client : clients_) free.push_back(client.get());
  const Stopwatch watch;
  std::size_t sent = 0;
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
    context_.restart();
    context_.poll();
  }
  return figures(latencies_, watch.seconds());
}

void Load::run() {
  context_.restart();
  context_.run();
}

const std::string& Load::next(const std::vector<std::string>& requests) {
  return requests[(turn_ += 7919) % requests.size()];  // a prime: in no order that caches like
}

void Load::ask_until(Client& client, const std::vector<std::string>& requests, const Stopwatch& watch, double seconds) {
  const double start = watch.seconds();
  if (start >= seconds) return;
  client.ask(next(requests), [this, &client, &requests, &watch, seconds, start] {
    latencies_.push_back(watch.seconds() - start);
    ask_until(client, requests, watch, seconds);
  });
}

void Load::ask_rest(Client& client, const std::vector<std::string>& requests, std::size_t& asked) {
  if (asked == requests.size()) return;
  client.ask(requests[asked++], [this, &client, &requests, &asked] { ask_rest(client, requests, asked); });
}

}  // namespace mayfly::bench
