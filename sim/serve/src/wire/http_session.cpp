#include "mayfly/serve/wire/http_session.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/status.hpp>
#include <fmt/format.h>

namespace mayfly::serve {

namespace beast = boost::beast;
namespace http = boost::beast::http;

namespace {

Verb verb_of(http::verb verb) {
  switch (verb) {
    case http::verb::get:
    case http::verb::head:
      return Verb::get;
    case http::verb::post:
      return Verb::post;
    case http::verb::put:
      return Verb::put;
    case http::verb::patch:
      return Verb::patch;
    case http::verb::delete_:
      return Verb::erase;
    default:
      return Verb::other;
  }
}

/// The text of one request. Its memory is reused for the next one, unless it grew large.
struct RequestText {
  struct Span {
    std::size_t name, value, end;
  };

  Verb verb = Verb::other;
  bool is_head = false;
  std::string target;
  std::string fields;
  std::vector<Span> spans;
  std::string body;
  std::vector<Field> views;

  void clear() {
    constexpr std::size_t large = 64 * 1024;
    if (body.capacity() > large) body = {};
    target.clear();
    fields.clear();
    spans.clear();
    body.clear();
  }

  Request request() {
    views.clear();
    const std::string_view all = fields;
    for (const Span& span : spans)
      views.push_back({all.substr(span.name, span.value - span.name), all.substr(span.value, span.end - span.value)});
    return {.verb = verb, .target = target, .fields = views, .body = body, .is_head = is_head};
  }
};

/// Beast's parser, which passes on the parts of a request without building a message.
class Parser : public http::basic_parser<true> {
 public:
  Parser(RequestText& text, const HttpLimits& limits) : text_(text) {
    text_.clear();
    eager(true);
    header_limit(static_cast<std::uint32_t>(limits.header_bytes));
    body_limit(limits.body_bytes);
  }

  bool expects_continue() const { return expects_continue_; }
  bool is_http_1_0() const { return version_ == 10; }

 private:
  void on_request_impl(http::verb verb, beast::string_view, beast::string_view target, int version,
                       beast::error_code&) override {
    version_ = version;
    text_.verb = verb_of(verb);
    text_.is_head = verb == http::verb::head;
    text_.target.assign(target.data(), target.size());
  }
  void on_field_impl(http::field field, beast::string_view name, beast::string_view value,
                     beast::error_code& problem) override {
    const std::size_t start = text_.fields.size();
    text_.fields.append(name.data(), name.size());
    text_.fields.append(value.data(), value.size());
    text_.spans.push_back({start, start + name.size(), text_.fields.size()});
    if (field == http::field::expect && beast::iequals(value, "100-continue")) expects_continue_ = true;
    if (field == http::field::host) ++hosts_;
    // A server that guessed where such a body ends could take a part of it for the next request.
    if (field == http::field::transfer_encoding && !beast::iequals(value, "chunked"))
      problem = boost::system::errc::make_error_code(boost::system::errc::not_supported);
  }
  std::size_t on_body_impl(beast::string_view body, beast::error_code&) override {
    text_.body.append(body.data(), body.size());
    return body.size();
  }
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view body, beast::error_code&) override {
    text_.body.append(body.data(), body.size());
    return body.size();
  }
  void on_response_impl(int, beast::string_view, int, beast::error_code&) override {}
  void on_header_impl(beast::error_code& problem) override {
    if (hosts_ > 1 || (hosts_ == 0 && version_ > 10))
      problem = boost::system::errc::make_error_code(boost::system::errc::destination_address_required);
  }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, beast::error_code&) override {}
  void on_chunk_header_impl(std::uint64_t, beast::string_view, beast::error_code&) override {}
  void on_finish_impl(beast::error_code&) override {}

  RequestText& text_;
  int version_ = 11;
  int hosts_ = 0;
  bool expects_continue_ = false;
};

Response refusal_of(const beast::error_code& problem, const HttpLimits& limits) {
  if (problem == http::error::header_limit)
    return error(431, fmt::format("The header has more than {} bytes.", limits.header_bytes));
  if (problem == http::error::body_limit)
    return error(413, fmt::format("The body has more than {} bytes.", limits.body_bytes));
  if (problem == boost::system::errc::not_supported)
    return error(501, "The transfer encoding is not supported: only chunked is.");
  if (problem == boost::system::errc::destination_address_required)
    return error(400, "The request needs one header Host, and no other.");
  return error(400, "This is not HTTP/1.1: " + problem.message() + ".");
}

template <class Number>
void append_number(std::string& out, Number number) {
  std::array<char, 32> text{};
  out.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr);
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

void append_field_if_any(std::string& out, std::string_view name, std::string_view value) {
  if (!value.empty()) append_field(out, name, value);
}

}  // namespace

class HttpSession::Reader {
 public:
  explicit Reader(const HttpLimits& limits) : limits_(limits) { start(); }

  void start() {
    parser_.emplace(text_, limits_);
    has_continued_ = false;
  }

  std::span<char> room() {
    constexpr std::size_t small = 8 * 1024;
    constexpr std::size_t large = 64 * 1024;
    const auto buffer = bytes_.prepare(parser_->is_header_done() ? large : small);
    return {static_cast<char*>(buffer.data()), buffer.size()};
  }

  void take_in(std::size_t count) { bytes_.commit(count); }

  /// Continues the request. Returns the error, or none; none also means that more bytes may be needed.
  beast::error_code read() {
    beast::error_code problem;
    while (bytes_.size() > 0 && !parser_->is_done() && !problem) {
      bytes_.consume(parser_->put(bytes_.data(), problem));
      if (problem == http::error::need_more) return {};
    }
    return problem;
  }

  bool is_done() const { return parser_->is_done(); }
  bool keeps_alive() const { return parser_->keep_alive(); }
  bool is_http_1_0() const { return parser_->is_http_1_0(); }  ///< whether the request is of that version
  bool has_begun() const { return parser_->got_some() || bytes_.size() > 0; }
  Request request() { return text_.request(); }

  /// Whether the client waits for "100 Continue" before it sends the body. True only once.
  bool needs_continue() {
    if (has_continued_ || !parser_->is_header_done() || !parser_->expects_continue()) return false;
    return has_continued_ = true;
  }

 private:
  const HttpLimits& limits_;
  beast::flat_buffer bytes_;
  RequestText text_;
  std::optional<Parser> parser_;
  bool has_continued_ = false;
};

HttpSession::HttpSession(Service& service, const HttpLimits& limits, bool is_secure)
    : service_(service), limits_(limits), reader_(std::make_unique<Reader>(limits)), is_secure_(is_secure) {}
HttpSession::~HttpSession() = default;

std::span<char> HttpSession::room() { return reader_->room(); }

void HttpSession::take_in(std::size_t count) {
  reader_->take_in(count);
  go_on();
}

void HttpSession::go_on() {
  if (output_.empty()) waiting_.clear();
  while (!is_over_ && output_.size() < limits_.waiting_bytes && read_request()) answer_request();
}

bool HttpSession::read_request() {
  if (const auto problem = reader_->read()) {
    refuse(refusal_of(problem, limits_));
    return false;
  }
  if (reader_->is_done()) return true;
  if (reader_->needs_continue()) output_ += "HTTP/1.1 100 Continue\r\n\r\n";
  return false;
}

void HttpSession::answer_request() {
  is_over_ = !reader_->keeps_alive();
  is_http_1_0_ = reader_->is_http_1_0();
  Request request = reader_->request();
  request.is_secure = is_secure_;
  append(service_.answer(request), request.is_head);
  reader_->start();
}

void HttpSession::refuse(const Response& response) {
  is_over_ = true;
  append(response);
}

void HttpSession::time_out() {
  if (reader_->has_begun()) return refuse(error(408, "The rest of the request did not come in time."));
  is_over_ = true;
}

void HttpSession::answer_instead(const Response& response) {
  output_.clear();
  for (const bool is_head : std::exchange(waiting_, {})) append(response, is_head);
}

void HttpSession::append(const Response& response, bool is_head) {
  waiting_.push_back(is_head);
  const auto reason = http::obsolete_reason(static_cast<http::status>(response.status));
  output_ += "HTTP/1.1 ";
  append_number(output_, response.status);
  output_.append(" ").append(reason.data(), reason.size()).append("\r\nx-ms-request-charge: ");
  append_number(output_, response.charge);
  output_ += "\r\n";
  append_field_if_any(output_, "etag", response.etag);
  append_field_if_any(output_, "x-ms-continuation", response.continuation);
  append_field_if_any(output_, "x-ms-activity-id", response.activity_id);
  append_field_if_any(output_, "x-ms-session-token", response.session_token);
  append_field_if_any(output_, "x-ms-documentdb-query-metrics", response.query_metrics);
  append_field_if_any(output_, "x-ms-cosmos-min-throughput", response.least_throughput);
  if (response.substatus != 0) append_field(output_, "x-ms-substatus", std::to_string(response.substatus));
  if (response.item_count) {
    output_ += "x-ms-item-count: ";
    append_number(output_, *response.item_count);
    output_ += "\r\n";
  }
  append_field_if_any(output_, "location", response.location);
  append_field_if_any(output_, "content-security-policy", response.security_policy);
  if (is_over_ || is_http_1_0_) append_field(output_, "connection", is_over_ ? "close" : "keep-alive");
  if (response.status != 204 && response.status != 304) {
    append_field(output_, "content-type", response.content_type);
    output_ += "content-length: ";
    append_number(output_, response.body.size());
    output_ += "\r\n\r\n";
    if (!is_head) output_ += response.body;
  } else {
    output_ += "\r\n";
  }
}

}  // namespace mayfly::serve
