#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "mayfly/serve/service/service.hpp"

namespace mayfly::serve {

struct HttpLimits {
  std::size_t header_bytes = 32 * 1024;
  std::size_t body_bytes = 4 * 1024 * 1024;
  std::size_t waiting_bytes = 1024 * 1024;  ///< of answers to be sent, before the next request is read
};

/// One connection's HTTP/1.1 without its socket: bytes in, bytes out. What comes in is answered in order; after what is
/// no HTTP, or too long, the connection is over.
class HttpSession {
 public:
  HttpSession(Service& service, const HttpLimits& limits);
  ~HttpSession();

  /// Where the next bytes go; tell `take_in` how many came.
  std::span<char> room();
  void take_in(std::size_t count);

  /// Answers what `take_in` left unanswered because too much was waiting to be sent.
  void go_on();

  /// What is to be sent; the caller clears it once it is sent.
  std::string& output() { return output_; }

  /// Whether nothing is to be read any more.
  bool is_over() const { return is_over_; }

  /// Gives this answer, and is over.
  void refuse(const Response& response);

  /// Gives up waiting for the rest of a request, if a part of it came; else is over without a word.
  void time_out();

  /// Takes the waiting answers back and gives this one instead, once for each.
  void answer_instead(const Response& response);

 private:
  class Reader;

  bool read_request();
  void answer_request();
  void append(const Response& response);

  Service& service_;
  const HttpLimits& limits_;
  std::unique_ptr<Reader> reader_;
  std::string output_;
  std::size_t answers_waiting_ = 0;
  bool is_over_ = false;
  bool is_http_1_0_ = false;  ///< of the last request: such a client must be told that the connection stays
};

}  // namespace mayfly::serve
