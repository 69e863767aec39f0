#include <cstdio>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

#include "command.hpp"
#include "mayfly/rest/master_key.hpp"
#include "mayfly/rest/wall_clock.hpp"
#include "mayfly/serve/message/instant_text.hpp"
#include "mayfly/serve/wire/http_server.hpp"
#include "mayfly/sim/input_error.hpp"

namespace mayfly::app {

namespace {

using namespace serve;

struct ServeOptions {
  std::string listen = "127.0.0.1";
  std::uint64_t port = 8081;
  std::optional<std::string> key;
  bool no_auth = false;
  std::string clock = "real";
  std::optional<std::string> data;
  std::uint64_t connections = 4096;
  double idle = 65;
  bool tls = false;
  std::optional<std::string> tls_certificate;
  std::optional<std::string> tls_key;
};

void declare(CommandLine& line, ServeOptions& options) {
  line.text("--listen", options.listen, "ADDRESS", "Listen on this address");
  line.number("--port", options.port, 0, 65'535, "Listen on this port; 0 picks a free one");
  line.secret("--key", options.key, "KEY", "The master key, in base64 (default: the emulators')");
  line.flag("--no-auth", options.no_auth, "Check no signatures: any client may do anything");
  line.text("--clock", options.clock, "CLOCK", "real, virtual, or virtual@START: a second or a date");
  line.flag("--tls", options.tls, "Serve https, with a certificate that is made at first use and kept");
  line.text("--tls-certificate", options.tls_certificate, "FILE", "Serve https with this certificate, in PEM");
  line.text("--tls-key", options.tls_key, "FILE", "The private key of the certificate, in PEM");
  line.text("--data", options.data, "FILE", "Keep everything in this file, across restarts");
  line.number("--connections", options.connections, 1, 1'000'000, "The most connections at once");
  line.time("--idle", options.idle, "Close a connection without traffic (default: 65s)");
}

constexpr Instant default_start{Seconds{1'700'000'000}};

/// The clock that the command line asks for.
struct WantedClock {
  bool is_virtual;
  std::optional<Instant> start;  ///< of a virtual clock, if it was given
};

WantedClock parse_clock(const std::string& text) {
  constexpr std::string_view at = "virtual@";
  if (text == "real") return {false, {}};
  if (text == "virtual") return {true, {}};
  const auto start = text.starts_with(at) ? parse_instant(std::string_view(text).substr(at.size())) : std::nullopt;
  if (start) return {true, start};
  throw InputError(fmt::format(
      "--clock must be real, virtual, or virtual@ and a second or a date such as 2030-01-31, got \"{}\"", text));
}

std::string text_of(Instant instant) {
  return fmt::format("{} ({})", instant.time_since_epoch().count(), date_text(instant));
}

ServiceClock new_clock(const WantedClock& wanted) {
  return wanted.is_virtual ? ServiceClock::virtual_from(wanted.start.value_or(default_start)) : ServiceClock::real();
}

/// The clock continues at the file's time, and is of the kind that wrote the file. With the other kind, or at another
/// time, items in the file might expire at once, or never. A start time is for a new file; giving the same one again
/// is allowed.
ServiceClock clock_of(Journal& journal, const std::string& file, const WantedClock& wanted) {
  constexpr std::string_view kind_fact = "clock_is_virtual", start_fact = "clock_start";
  const auto kind = journal.fact(kind_fact);
  const auto start = journal.fact(start_fact);
  const bool is_new = !kind && journal.now() == Instant{};  // a file of an older version may have a time and no kind
  if (kind && (*kind != 0) != wanted.is_virtual)
    throw InputError(fmt::format("--data {0} was written with a {1} clock: give --clock {1}, or another file", file,
                                 wanted.is_virtual ? "real" : "virtual"));
  if (!is_new && wanted.start && wanted.start != journal.now() && wanted.start->time_since_epoch().count() != start)
    throw InputError(
        fmt::format("--data {} has reached {}, and a start time is for a new file: give --clock virtual to "
                    "continue there, or another file",
                    file, text_of(journal.now())));
  ServiceClock clock = !is_new && wanted.is_virtual ? ServiceClock::virtual_from(journal.now()) : new_clock(wanted);
  if (journal.now() > clock.now())
    throw InputError(fmt::format("--data {} has reached {}, but the clock is at {}: no clock goes back", file,
                                 text_of(journal.now()), text_of(clock.now())));
  if (kind) return clock;
  journal.put_fact(kind_fact, wanted.is_virtual ? 1 : 0);
  if (wanted.start) journal.put_fact(start_fact, wanted.start->time_since_epoch().count());
  journal.commit(clock.now());
  return clock;
}

/// Different for each process, unless two start in the same second with the same id.
std::int64_t start_number() {
  constexpr std::int64_t most_processes = 1 << 22;
  return rest::wall_clock_second().time_since_epoch().count() * most_processes + ::getpid();
}

ServiceOptions access_of(const ServeOptions& options) {
  if (options.no_auth && options.key) throw InputError("--key and --no-auth exclude each other");
  if (options.key) from_option("--key", [&] { rest::check_own_key(*options.key); });
  const bool has_own_key = options.key && rest::key_bytes(*options.key) != rest::key_bytes(rest::emulator_key);
  if (!has_own_key && !from_option("--listen", [&] { return is_loopback(options.listen); }))
    throw InputError(fmt::format("--listen {}: other machines can reach that address, so it needs a --key of your own",
                                 options.listen));
  ServiceOptions access;
  access.start = start_number();
  if (options.key) access.key = *options.key;
  access.access = options.no_auth ? Access::open : has_own_key ? Access::own_key : Access::emulator;
  return access;
}

std::optional<TlsFiles> tls_of(const ServeOptions& options) {
  if (options.tls_certificate.has_value() != options.tls_key.has_value())
    throw InputError(
        "--tls-certificate and --tls-key belong together: give both, or --tls for a certificate of its own");
  if (options.tls_certificate) return TlsFiles{*options.tls_certificate, *options.tls_key};
  if (!options.tls) return std::nullopt;
  return own_tls_files(tls_folder());
}

std::string_view key_text(Access access) {
  if (access == Access::open) return "any key, as signatures are not checked";
  return access == Access::own_key ? "your --key" : "the emulators' well-known key";
}

void print_usage(const ServeOptions& options, const std::optional<TlsFiles>& tls, const HttpServer& server,
                 Service& service, Access access) {
  const bool is_v6 = options.listen.find(':') != std::string::npos;
  const std::string url = fmt::format("{}://{}:{}/", tls ? "https" : "http",
                                      is_v6 ? "[" + options.listen + "]" : options.listen, server.port());
  const bool is_virtual = service.clock().is_virtual();
  fmt::print("mayfly serves {} with {}\n", url,
             is_virtual ? "a virtual clock at " + text_of(service.clock().now()) : "the real clock");
  fmt::print("use it as the endpoint of a Cosmos DB client, with {}\n", key_text(access));
  if (tls)
    fmt::print(
        "let clients trust its certificate: export NODE_EXTRA_CA_CERTS={0} REQUESTS_CA_BUNDLE={0} SSL_CERT_FILE={0}\n",
        std::filesystem::absolute(tls->certificate).string());
  fmt::print("watch its items expire: {}_mayfly/\n", url);
  if (is_virtual) fmt::print("move the clock: curl -d '{{\"seconds\":3600}}' {}_mayfly/clock/advance\n", url);
  if (access == Access::open) fmt::print("ask it with curl: curl {}dbs\n", url);
  if (access == Access::emulator) fmt::print("to ask it with curl, without signatures: start it with --no-auth\n");
  std::fflush(stdout);
}

Exit run_server(const ServeOptions& options, const CommandLine&) {
  const ServiceOptions access = access_of(options);
  const WantedClock wanted = parse_clock(options.clock);
  std::optional<Journal> journal;
  if (options.data) journal.emplace(*options.data);
  if (journal && journal->loss()) fmt::print(stderr, "mayfly: {}\n", *journal->loss());
  ServiceClock clock = journal ? clock_of(*journal, *options.data, wanted) : new_clock(wanted);
  Service service(access, std::move(clock), std::move(journal));
  const auto tls = tls_of(options);
  HttpServer server(service, {.listen = options.listen,
                              .port = static_cast<std::uint16_t>(options.port),
                              .most_connections = options.connections,
                              .idle_seconds = options.idle,
                              .tls = tls});
  print_usage(options, tls, server, service, access.access);
  server.run();
  return Exit::held;
}

}  // namespace

Command serve_command() {
  return command("serve", "The engine behind the REST surface of Cosmos DB, over HTTP", declare, run_server);
}

}  // namespace mayfly::app
