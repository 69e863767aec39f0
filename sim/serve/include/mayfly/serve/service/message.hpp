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

/// As it is signed: in lower case.
std::string_view name_of(Verb verb);

struct Field {
  std::string_view name;
  std::string_view value;
};

/// A request, for as long as it is answered.
struct Request {
  Verb verb = Verb::get;
  std::string_view target;  ///< as sent, percent signs and all
  std::span<const Field> fields;
  std::string_view body;

  /// The value of a header field; requires its name in lower case.
  std::optional<std::string_view> field(std::string_view name) const;

  /// Whether a header field is there and says true.
  bool says_true(std::string_view name) const;
};

struct Response {
  int status = 200;
  std::string body;
  double charge = 1;  ///< request units
  std::string etag;   ///< none if empty, as the next one
  std::string continuation;
  std::optional<std::size_t> item_count;
  std::string_view content_type = "application/json";
  std::string_view location;         ///< where to look instead; none if empty, as the next one
  std::string_view security_policy;  ///< what a page may do in a browser
};

/// The word for a status in the service's errors, such as NotFound.
std::string_view code_of(int status);

/// A response that says what went wrong.
Response error(int status, std::string_view message);

/// Thrown where a request cannot be fulfilled; the response says why.
class Refusal : public std::runtime_error {
 public:
  Refusal(int status, const std::string& message) : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

}  // namespace mayfly::serve
