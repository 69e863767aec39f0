#include "own_server.hpp"

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mayfly/serve/wire/http_server.hpp"

namespace mayfly::bench {

namespace {

using namespace serve;

[[noreturn]] void serve_to(int pipe, std::optional<Journal> journal) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  Service service({}, ServiceClock::real(), std::move(journal));
  HttpServer server(service, {.port = 0});
  const std::uint16_t port = server.port();
  if (::write(pipe, &port, sizeof port) != sizeof port) std::_Exit(1);
  server.run();
  std::_Exit(0);
}

}  // namespace

OwnServer::OwnServer(const std::optional<std::string>& data) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
  child_ = ::fork();
  if (child_ == 0) {
    std::optional<Journal> journal;
    if (data) journal.emplace(*data);
    serve_to(ends[1], std::move(journal));
  }
  ::close(ends[1]);
  if (::read(ends[0], &port_, sizeof port_) != sizeof port_) throw std::runtime_error("the server did not start");
  ::close(ends[0]);
}

OwnServer::~OwnServer() {
  ::kill(child_, SIGTERM);
  ::waitpid(child_, nullptr, 0);
}

double OwnServer::cpu_seconds() const {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(child_, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace mayfly::bench
