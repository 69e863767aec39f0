#include "mayfly/cosmos/http_client.hpp"

#include <algorithm>
#include <optional>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <fmt/format.h>

#include "mayfly/sim/process/ending.hpp"
#include "mayfly/sim/subject.hpp"

namespace mayfly::cosmos {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Error = boost::system::error_code;

constexpr std::uint64_t longest_body = 32 * 1024 * 1024;
constexpr std::uint32_t longest_header = 64 * 1024;

// A server may close an idle connection, some after a few seconds, and just when it is used again. A new one
// costs less than to wonder whether it has done so.
constexpr double longest_rest = 2;

std::chrono::milliseconds time_left(const Deadline& deadline) {
  const double seconds = std::clamp(deadline.end - Stopwatch::now(), 0.0, 1e6);
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000) + 1);
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return out;
}

http::request<http::string_body> message_of(const HttpRequest& request, const Endpoint& endpoint) {
  http::request<http::string_body> message;
  message.method_string(request.verb);
  message.target(request.path);
  message.version(11);
  message.set(http::field::host, endpoint.authority());
  for (const auto& [name, value] : request.fields) message.set(name, value);
  message.body() = request.body;
  message.prepare_payload();
  if (request.body.empty() && request.verb != "GET") message.content_length(0);
  return message;
}

}  // namespace

std::string HttpAnswer::field(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.first == name; });
  return found == fields.end() ? "" : found->second;
}

class HttpClient::Wire {
 public:
  explicit Wire(Endpoint endpoint) : endpoint_(std::move(endpoint)) {
    if (!endpoint_.is_secure) return;
    Error ignored;  // without trusted certificates none is valid, and that is said when it is looked at
    tls_.set_default_verify_paths(ignored);
    tls_.set_verify_mode(endpoint_.is_loopback() ? asio::ssl::verify_none : asio::ssl::verify_peer);
  }

  HttpAnswer ask(const HttpRequest& request, const Deadline& deadline) {
    try {
      if (!is_open()) connect(deadline);
      const HttpAnswer answer = exchange(message_of(request, endpoint_), deadline);
      used_at_ = Stopwatch::now();
      return answer;
    } catch (const StoreFailure&) {
      stream_.reset();
      throw;
    }
  }

 private:
  using Stream = beast::ssl_stream<beast::tcp_stream>;

  beast::tcp_stream& tcp() { return stream_->next_layer(); }

  bool is_open() {
    if (!stream_ || Stopwatch::now() - used_at_ > longest_rest) return false;
    char byte = 0;  // no answer is due: what there is to read is the end
    return ::recv(tcp().socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
  }

  void connect(const Deadline& deadline) {
    Error error;
    asio::ip::tcp::resolver resolver(io_);
    const auto addresses = resolver.resolve(endpoint_.host, endpoint_.port, error);
    if (error) throw StoreFailure(fmt::format("cannot be found: {}", error.message()));
    buffer_.clear();
    stream_.emplace(io_, tls_);
    error = finish(deadline, [&](auto done) { tcp().async_connect(addresses, done); });
    if (error) fail("cannot be reached", error, deadline);
    Error ignored;
    tcp().socket().set_option(asio::ip::tcp::no_delay(true), ignored);
    if (endpoint_.is_secure) shake_hands(deadline);
  }

  void shake_hands(const Deadline& deadline) {
    ::SSL_set_tlsext_host_name(stream_->native_handle(), endpoint_.host.c_str());
    stream_->set_verify_callback(asio::ssl::host_name_verification(endpoint_.host));
    const Error error =
        finish(deadline, [&](auto done) { stream_->async_handshake(asio::ssl::stream_base::client, done); });
    if (error) fail("cannot be trusted", error, deadline);
  }

  HttpAnswer exchange(const http::request<http::string_body>& message, const Deadline& deadline) {
    http::response_parser<http::string_body> parser;
    parser.body_limit(longest_body);
    parser.header_limit(longest_header);
    const auto on_stream = [&](auto use) { return endpoint_.is_secure ? use(*stream_) : use(tcp()); };
    Error error = on_stream(
        [&](auto& stream) { return finish(deadline, [&](auto done) { http::async_write(stream, message, done); }); });
    if (error) fail("does not take a request", error, deadline);
    error = on_stream([&](auto& stream) {
      return finish(deadline, [&](auto done) { http::async_read(stream, buffer_, parser, done); });
    });
    if (error == http::error::end_of_stream) throw StoreFailure("closed the connection instead of answering");
    if (error) fail("does not answer", error, deadline);
    HttpAnswer answer{static_cast<int>(parser.get().result_int()), {}, std::move(parser.get().body())};
    for (const auto& field : parser.get())
      answer.fields.emplace_back(lower(field.name_string()), std::string(field.value()));
    if (!parser.get().keep_alive()) stream_.reset();
    return answer;
  }

  /// Runs one asynchronous operation to its end, because only such have a time limit.
  template <class Start>
  Error finish(const Deadline& deadline, Start start) {
    Error outcome;
    tcp().expires_after(time_left(deadline));
    start([&](Error error, const auto&...) { outcome = error; });
    io_.restart();
    io_.run();
    return outcome;
  }

  [[noreturn]] static void fail(std::string_view what, const Error& error, const Deadline& deadline) {
    if (error == beast::error::timeout) throw StoreFailure(timeout_text(deadline.seconds));
    throw StoreFailure(fmt::format("{}: {}", what, error.message()));
  }

  Endpoint endpoint_;
  asio::io_context io_{1};
  asio::ssl::context tls_{asio::ssl::context::tls_client};
  std::optional<Stream> stream_;
  beast::flat_buffer buffer_;
  double used_at_ = 0;
};

HttpClient::HttpClient(Endpoint endpoint) : wire_(std::make_unique<Wire>(std::move(endpoint))) {}
HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;

HttpAnswer HttpClient::ask(const HttpRequest& request, const Deadline& deadline) {
  return wire_->ask(request, deadline);
}

}  // namespace mayfly::cosmos
