#include "client.hpp"

#include <cctype>
#include <cstdlib>
#include <stdexcept>

#include <boost/asio/write.hpp>

namespace mayfly::bench {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

void check(error_code problem, const char* what) {
  if (problem) throw std::runtime_error(std::string(what) + ": " + problem.message());
}

/// Where the value of a field of the header begins; npos without it. Names are lower case.
std::size_t find_value(std::string_view header, std::string_view field) {
  const auto is_same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  const auto at = std::search(header.begin(), header.end(), field.begin(), field.end(), is_same);
  return at == header.end() ? std::string_view::npos : static_cast<std::size_t>(at - header.begin()) + field.size();
}

/// The length of the whole answer at the front, or 0 if some of it is missing.
std::size_t answer_length(std::string_view bytes) {
  const auto end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) return 0;
  const auto value = find_value(bytes.substr(0, end), "\r\ncontent-length: ");
  if (value == std::string_view::npos) throw std::runtime_error("an answer does not say how long it is");
  const std::size_t length = end + 4 + std::strtoul(bytes.data() + value, nullptr, 10);
  return bytes.size() >= length ? length : 0;
}

}  // namespace

void Client::ask(const std::string& request, std::function<void()> done) {
  done_ = std::move(done);
  received_ = 0;
  if (socket_.is_open()) return send(request);
  socket_.async_connect(server_, [this, &request](error_code problem) {
    check(problem, "no connection");
    socket_.set_option(tcp::no_delay(true));
    send(request);
  });
}

void Client::send(const std::string& request) {
  asio::async_write(socket_, asio::buffer(request), [this](error_code problem, std::size_t) {
    check(problem, "a request could not be sent");
    await();
  });
}

void Client::await() {
  if (received_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  socket_.async_read_some(asio::buffer(buffer_.data() + received_, buffer_.size() - received_),
                          [this](error_code problem, std::size_t count) {
                            check(problem, "no answer");
                            take_in(count);
                          });
}

void Client::take_in(std::size_t count) {
  received_ += count;
  const std::string_view bytes(buffer_.data(), received_);
  if (answer_length(bytes) == 0) return await();
  if (!bytes.starts_with("HTTP/1.1 20")) throw std::runtime_error("a bad answer: " + std::string(bytes.substr(0, 400)));
  if (find_value(bytes.substr(0, bytes.find("\r\n\r\n")), "\r\nconnection: close") != std::string_view::npos)
    socket_.close();
  // What it does may ask again.
  std::exchange(done_, nullptr)();
}

}  // namespace mayfly::bench
