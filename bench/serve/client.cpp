#include "client.hpp"

#include <cstdlib>
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

// The socket blocks. A single small request always fits into its buffer, and it is read only when it is ready.
void Client::connect() {
  error_code problem;
  socket_.connect(server_, problem);
  check(problem, "no connection");
  socket_.set_option(tcp::no_delay(true));
  epoll_.watch(socket_.native_handle(), serve::Epoll::For::reading, *this);
}

void Client::send(const std::string& request, double due, const Done& done) {
  if (!socket_.is_open()) connect();
  done_ = &done;
  due_ = due;
  received_ = 0;
  error_code problem;
  asio::write(socket_, asio::buffer(request), problem);
  check(problem, "a request could not be sent");
}

void Client::is_ready() {
  if (received_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  error_code problem;
  received_ += socket_.read_some(asio::buffer(buffer_.data() + received_, buffer_.size() - received_), problem);
  if (problem && !is_waiting()) return socket_.close();  // the server closed an idle connection
  check(problem, "no answer");
  const std::string_view bytes(buffer_.data(), received_);
  if (answer_length(bytes) == 0) return;
  if (!bytes.starts_with("HTTP/1.1 20")) throw std::runtime_error("a bad answer: " + std::string(bytes.substr(0, 400)));
  const auto header = bytes.substr(0, bytes.find(header_end));
  if (find_after(header, {"\r\nconnection: close", "\r\nConnection: close"}) != std::string_view::npos) socket_.close();
  (*std::exchange(done_, nullptr))(*this);
}

}  // namespace mayfly::bench
