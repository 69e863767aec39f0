#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

// Requests and responses, without the wire.

namespace mayfly::serve {

enum class Verb { get, post, put, patch, erase, other };

/// In lower case, as in the signed text.
std::string_view name_of(Verb verb);

struct Field {
  std::string_view name;
  std::string_view value;
};

/// A request. Its views are valid while it is answered.
struct Request {
  Verb verb = Verb::get;
  std::string_view target;  ///< as sent, still percent-encoded
  std::span<const Field> fields;
  std::string_view body;
  bool is_secure = false;  ///< whether it came over TLS
  bool is_head = false;    ///< a HEAD, which is answered as a GET, without the body

  /// The scheme that the client used, also if a proxy stands between.
  std::string_view scheme() const;

  /// The value of a header field. Requires its name in lower case.
  std::optional<std::string_view> field(std::string_view name) const;

  /// Whether a header field is present and true.
  bool says_true(std::string_view name) const;
};

struct Response {
  int status = 200;
  std::string body;
  double charge = 1;  ///< request units
  std::string etag;   ///< none if empty, like the next
  std::string continuation;
  std::optional<std::size_t> item_count;
  std::string_view content_type = "application/json";
  std::string_view location;         ///< target of a redirect; none if empty, like the next
  std::string_view security_policy;  ///< what a page may do in a browser
};

/// The word for a status in the service's errors, such as NotFound.
std::string_view code_of(int status);

/// A response with an error message.
Response error(int status, std::string_view message);

/// Thrown if a request fails; becomes an error response with this status and message.
class Refusal : public std::runtime_error {
 public:
  Refusal(int status, const std::string& message) : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

}  // namespace mayfly::serve
