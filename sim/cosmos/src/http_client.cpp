#include "mayfly/cosmos/http_client.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>

#include "connection.hpp"
#include "mayfly/sim/subject.hpp"

namespace mayfly::cosmos {

namespace {

namespace http = boost::beast::http;

constexpr std::uint64_t longest_body = 32 * 1024 * 1024;
constexpr std::uint32_t longest_header = 64 * 1024;
constexpr std::size_t bytes_at_once = 64 * 1024;

// Servers close idle connections, some after a few seconds, and possibly at the moment of the next request. A new
// connection costs less than a request that fails.
constexpr double longest_rest = 2;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string text_of(const HttpRequest& request, const Endpoint& endpoint) {
  std::string text = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n", request.verb, request.path, endpoint.authority());
  for (const auto& [name, value] : request.fields) text += fmt::format("{}: {}\r\n", name, value);
  if (!request.body.empty() || request.verb != "GET") text += fmt::format("Content-Length: {}\r\n", request.body.size());
  return text + "\r\n" + request.body;
}

}  // namespace

std::string HttpAnswer::field(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.first == name; });
  return found == fields.end() ? "" : found->second;
}

class HttpClient::Wire {
 public:
  explicit Wire(Endpoint endpoint) : endpoint_(std::move(endpoint)) {}

  HttpAnswer ask(const HttpRequest& request, const Deadline& deadline) {
    try {
      if (!is_open()) connection_.emplace(endpoint_, deadline);
      connection_->write(text_of(request, endpoint_), deadline);
      HttpAnswer answer = read_answer(deadline);
      used_at_ = Stopwatch::now();
      return answer;
    } catch (const StoreFailure&) {
      connection_.reset();
      throw;
    }
  }

 private:
  using Parser = http::response_parser<http::string_body>;

  bool is_open() const {
    return connection_ && Stopwatch::now() - used_at_ <= longest_rest && connection_->is_idle();
  }

  HttpAnswer read_answer(const Deadline& deadline) {
    Parser parser;
    parser.eager(true);
    parser.body_limit(longest_body);
    parser.header_limit(longest_header);
    boost::beast::flat_buffer buffer;
    boost::system::error_code error;
    while (!parser.is_done() && !error) {
      const auto room = buffer.prepare(bytes_at_once);
      const std::size_t count = connection_->read({static_cast<char*>(room.data()), room.size()}, deadline);
      buffer.commit(count);
      if (count == 0 && !parser.got_some()) throw StoreFailure("closed the connection instead of answering");
      if (count == 0) parser.put_eof(error);
      while (buffer.size() > 0 && !parser.is_done() && !error) buffer.consume(parser.put(buffer.data(), error));
      if (error == http::error::need_more) error = {};
    }
    if (error) throw StoreFailure(fmt::format("does not answer: {}", error.message()));
    if (!parser.keep_alive()) connection_.reset();
    return answer_of(parser);
  }

  static HttpAnswer answer_of(Parser& parser) {
    HttpAnswer answer{static_cast<int>(parser.get().result_int()), {}, std::move(parser.get().body())};
    for (const auto& field : parser.get())
      answer.fields.emplace_back(lower(field.name_string()), std::string(field.value()));
    return answer;
  }

  Endpoint endpoint_;
  std::optional<Connection> connection_;
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
