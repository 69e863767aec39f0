#include "client.hpp"

#include <cstdlib>
#include <openssl/ssl.h>
#include <stdexcept>
#include <utility>

#include <boost/asio/write.hpp>

namespace mayfly::bench {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

void check(error_code problem, const char* what) {
  if (problem) throw std::runtime_error(std::string(what) + ": " + problem.message());
}

constexpr std::string_view header_end = "\r\n\r\n";

/// The position after the first of these texts in the header; npos if it has none of them.
std::size_t find_after(std::string_view header, std::initializer_list<std::string_view> texts) {
  for (const auto text : texts)
    if (const auto at = header.find(text); at != std::string_view::npos) return at + text.size();
  return std::string_view::npos;
}

/// The length of the answer at the front, 0 if it is incomplete.
std::size_t answer_length(std::string_view bytes) {
  const auto end = bytes.find(header_end);
  if (end == std::string_view::npos) return 0;
  if (bytes.starts_with("HTTP/1.1 204")) return end + header_end.size();
  const auto value = find_after(bytes.substr(0, end), {"\r\ncontent-length: ", "\r\nContent-Length: "});
  if (value == std::string_view::npos) throw std::runtime_error("an answer has no content-length");
  const std::size_t length = end + header_end.size() + std::strtoul(bytes.data() + value, nullptr, 10);
  return bytes.size() >= length ? length : 0;
}

}  // namespace

Client::Client(serve::Epoll& epoll, asio::io_context& context, const tcp::endpoint& server, ssl_ctx_st* tls)
    : epoll_(epoll), server_(server), socket_(context), tls_(tls), stream_(nullptr, ::SSL_free) {}

// A single small request always fits into the socket's buffer, so only reading may find that the socket is not ready:
// TLS has records without data.
void Client::connect() {
  error_code problem;
  socket_.connect(server_, problem);
  check(problem, "no connection");
  socket_.set_option(tcp::no_delay(true));
  if (tls_) {
    stream_.reset(::SSL_new(tls_));
    if (::SSL_set_fd(stream_.get(), socket_.native_handle()) != 1 || ::SSL_connect(stream_.get()) != 1)
      throw std::runtime_error("no handshake");
  }
  socket_.non_blocking(true);
  epoll_.watch(socket_.native_handle(), serve::Epoll::For::reading, *this);
}

void Client::send(const std::string& request, double due, const Done& done) {
  if (!socket_.is_open()) connect();
  done_ = &done;
  due_ = due;
  received_ = 0;
  write(request);
}

void Client::write(const std::string& request) {
  error_code problem;
  if (!tls_)
    asio::write(socket_, asio::buffer(request), problem);
  else if (::SSL_write(stream_.get(), request.data(), static_cast<int>(request.size())) <= 0)
    problem = asio::error::broken_pipe;
  check(problem, "a request could not be sent");
}

std::size_t Client::read(char* room, std::size_t size) {
  error_code problem;
  std::size_t count = 0;
  if (!tls_)
    count = socket_.read_some(asio::buffer(room, size), problem);
  else if (::SSL_read_ex(stream_.get(), room, size, &count) != 1)
    problem = ::SSL_get_error(stream_.get(), 0) == SSL_ERROR_WANT_READ ? asio::error::would_block
                                                                       : asio::error::connection_aborted;
  if (problem == asio::error::would_block) return 0;
  if (problem && !is_waiting())
    socket_.close();  // the server closed an idle connection
  else
    check(problem, "no answer");
  return count;
}

void Client::is_ready() {
  do {
    if (received_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
    const std::size_t count = read(buffer_.data() + received_, buffer_.size() - received_);
    if (count == 0) return;
    received_ += count;
  } while (tls_ && ::SSL_pending(stream_.get()) > 0);
  const std::string_view bytes(buffer_.data(), received_);
  if (answer_length(bytes) == 0) return;
  if (!bytes.starts_with("HTTP/1.1 20")) throw std::runtime_error("a bad answer: " + std::string(bytes.substr(0, 400)));
  const auto header = bytes.substr(0, bytes.find(header_end));
  if (find_after(header, {"\r\nconnection: close", "\r\nConnection: close"}) != std::string_view::npos) socket_.close();
  (*std::exchange(done_, nullptr))(*this);
}

}  // namespace mayfly::bench
