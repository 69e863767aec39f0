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
  int substatus = 0;                 ///< why the status, in the service's numbers; none if 0
  std::string activity_id;           ///< none if empty, like the rest
  std::string session_token;
  std::string query_metrics;
  std::string least_throughput;  ///< to which an offer can be reduced
};

/// The word for a status in the service's errors, such as NotFound.
std::string_view code_of(int status);

/// A response with an error message.
Response error(int status, std::string_view message);

/// Thrown if a request fails; becomes an error response with this status and message.
class Refusal : public std::runtime_error {
 public:
  Refusal(int status, const std::string& message, int substatus = 0)
      : std::runtime_error(message), status_(status), substatus_(substatus) {}
  int status() const { return status_; }
  int substatus() const { return substatus_; }

 private:
  int status_;
  int substatus_;
};

Response error(const Refusal& refusal);

// Substatuses that clients act on, or that tell what is missing.
inline constexpr int wrong_partition_key = 1001;  ///< clients read the container's definition again
inline constexpr int no_owner = 1003;             ///< the container or the database is missing, not the item

}  // namespace mayfly::serve
