#include <cstdio>

#include <fmt/format.h>

#include "command.hpp"
#include "mayfly/sim/input_error.hpp"
#include "mayfly/sim/serve/http_server.hpp"

namespace mayfly::app {

namespace {

using namespace serve;

constexpr Instant default_start{Seconds{1'700'000'000}};

ServiceClock parse_clock(const std::string& text) {
  constexpr std::string_view at = "virtual@";
  if (text == "real") return ServiceClock::real();
  if (text == "virtual") return ServiceClock::virtual_from(default_start);
  const auto start = text.starts_with(at) ? parse_instant(std::string_view(text).substr(at.size())) : std::nullopt;
  if (start) return ServiceClock::virtual_from(*start);
  throw InputError(fmt::format(
      "--clock must be real, virtual, or virtual@ and a second or a date such as 2030-01-31, got \"{}\"", text));
}

std::string told(Instant instant) {
  return fmt::format("{} ({})", instant.time_since_epoch().count(), date_text(instant));
}

/// What is in the file was written by one kind of clock. Under the other, it might expire at once, or never.
void keep_to_its_clock(Journal& journal, const std::string& file, ServiceClock& clock) {
  constexpr std::string_view kind = "clock_is_virtual";
  const bool is_virtual = clock.is_virtual();
  const auto kept = journal.fact(kind);
  if (kept && (*kept != 0) != is_virtual)
    throw InputError(fmt::format("--data {} was written with a {} clock: say --clock {}, or take another file", file,
                                 is_virtual ? "real" : "virtual", is_virtual ? "real" : "virtual"));
  if (!is_virtual && journal.now() > clock.now())
    throw InputError(fmt::format("--data {} has come to {}, and it is only {}: no clock goes back", file,
                                 told(journal.now()), told(clock.now())));
  if (kept) return;
  journal.put_fact(kind, is_virtual ? 1 : 0);
  journal.commit(journal.now());
}

ServiceOptions access_of(const ServeOptions& options) {
  if (options.no_auth && options.key) throw InputError("--key and --no-auth do not go together");
  if (options.key) check_own_key(*options.key);
  const bool has_own_key = options.key && !is_same_key(*options.key, emulator_key);
  if (!is_loopback(options.listen) && !has_own_key)
    throw InputError(fmt::format(
        "--listen {}: others than this machine can reach that, so it needs a --key of your own", options.listen));
  ServiceOptions access;
  if (options.key) access.key = *options.key;
  access.access = options.no_auth ? Access::open : has_own_key ? Access::own_key : Access::emulator;
  return access;
}

std::string_view key_text(Access access) {
  switch (access) {
    case Access::emulator:
      return "the emulators' well-known key";
    case Access::own_key:
      return "your --key";
    case Access::open:
      break;
  }
  return "any key: none is checked";
}

void say_where(const ServeOptions& options, const HttpServer& server, Service& service, Access access) {
  const bool is_v6 = options.listen.find(':') != std::string::npos;
  const std::string url =
      fmt::format("http://{}:{}/", is_v6 ? "[" + options.listen + "]" : options.listen, server.port());
  const Instant now = service.clock().now();
  const bool is_virtual = service.clock().is_virtual();
  fmt::print("mayfly serves {} with {}\n", url, is_virtual ? "a virtual clock at " + told(now) : "the real clock");
  fmt::print("use it as the endpoint of a Cosmos DB client, with {}\n", key_text(access));
  fmt::print("watch its items expire: {}_mayfly/\n", url);
  if (is_virtual) fmt::print("move the clock: curl -d '{{\"seconds\":3600}}' {}_mayfly/clock/advance\n", url);
  std::fflush(stdout);
}

}  // namespace

Exit serve(const ServeOptions& options) {
  const ServiceOptions access = access_of(options);
  ServiceClock clock = parse_clock(options.clock);
  std::optional<Journal> journal;
  if (options.data) keep_to_its_clock(journal.emplace(*options.data), *options.data, clock);
  Service service(access, std::move(clock), std::move(journal));
  HttpServer server(service, {.listen = options.listen,
                              .port = options.port,
                              .most_connections = options.connections,
                              .idle_seconds = options.idle});
  say_where(options, server, service, access.access);
  server.run();
  return Exit::held;
}

}  // namespace mayfly::app
