#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mayfly/serve/service/service.hpp"

namespace mayfly::serve {

struct HttpLimits {
  std::size_t header_bytes = 32 * 1024;
  std::size_t body_bytes = 4 * 1024 * 1024;
  std::size_t waiting_bytes = 1024 * 1024;  ///< of unsent answers; beyond them no further request is read
};

/// HTTP/1.1 of one connection, without its socket: bytes in, bytes out. Requests are answered in order. Input that is
/// not HTTP, or too long, ends the connection.
class HttpSession {
 public:
  /// `is_secure`: the bytes come over TLS.
  HttpSession(Service& service, const HttpLimits& limits, bool is_secure = false);
  ~HttpSession();

  /// The memory for the next bytes; pass their number to `take_in`.
  std::span<char> room();
  void take_in(std::size_t count);

  /// Answers the requests that `take_in` left because too many bytes were waiting to be sent.
  void go_on();

  /// The bytes to send; the caller clears them after sending.
  std::string& output() { return output_; }

  /// Whether the session reads no further requests.
  bool is_over() const { return is_over_; }

  /// Sends this answer, and ends the session.
  void refuse(const Response& response);

  /// Ends the session: with an error response if a part of a request has arrived, otherwise silently.
  void time_out();

  /// Replaces each waiting answer by this one.
  void answer_instead(const Response& response);

 private:
  class Reader;

  bool read_request();
  void answer_request();
  void append(const Response& response, bool is_head = false);

  Service& service_;
  const HttpLimits& limits_;
  std::unique_ptr<Reader> reader_;
  std::string output_;
  std::vector<bool> waiting_;  ///< of each answer in the output, whether it is one to a HEAD
  bool is_secure_;
  bool is_over_ = false;
  bool is_http_1_0_ = false;  ///< of the last request: such a client must be told that the connection stays open
};

}  // namespace mayfly::serve
