#include "own_server.hpp"

#include <stdexcept>
#include <string>

#include "../cpu_clock.hpp"
#include "mayfly/serve/wire/http_server.hpp"

namespace mayfly::bench {

namespace {

using namespace serve;

int serve_to(Channel& parent, const std::optional<std::string>& data, const std::optional<TlsFiles>& tls) {
  std::optional<Journal> journal;
  if (data) journal.emplace(*data);
  Service service({}, ServiceClock::real(), std::move(journal));
  HttpServer server(service, {.port = 0, .tls = tls});
  if (!parent.send(std::to_string(server.port()))) return 1;
  server.run();
  return 0;
}

}  // namespace

OwnServer::OwnServer(const std::optional<std::string>& data, const std::optional<TlsFiles>& tls)
    : child_([&](Channel& parent) { return serve_to(parent, data, tls); }) {
  const auto port = child_.channel().read_line();
  if (!port) throw std::runtime_error("the server did not start");
  port_ = static_cast<std::uint16_t>(std::stoul(*port));
}

double OwnServer::cpu_seconds() const {
  clockid_t clock{};
  return ::clock_getcpuclockid(child_.process(), &clock) == 0 ? seconds_on(clock) : 0;
}

}  // namespace mayfly::bench
