#include "mayfly/sim/serve/message.hpp"

#include <algorithm>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace mayfly::serve {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_same_name(std::string_view sent, std::string_view name) {
  return sent.size() == name.size() &&
         std::equal(sent.begin(), sent.end(), name.begin(), [](char a, char b) { return lower(a) == b; });
}

}  // namespace

std::string_view name_of(Verb verb) {
  switch (verb) {
    case Verb::get:
      return "get";
    case Verb::post:
      return "post";
    case Verb::put:
      return "put";
    case Verb::patch:
      return "patch";
    case Verb::erase:
      return "delete";
    case Verb::other:
      break;
  }
  return "";
}

std::optional<std::string_view> Request::field(std::string_view name) const {
  for (const Field& field : fields)
    if (is_same_name(field.name, name)) return field.value;
  return std::nullopt;
}

bool Request::says_true(std::string_view name) const {
  const auto value = field(name);
  return value && is_same_name(*value, "true");
}

std::string_view code_of(int status) {
  switch (status) {
    case 400:
      return "BadRequest";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "NotFound";
    case 405:
      return "MethodNotAllowed";
    case 408:
      return "RequestTimeout";
    case 409:
      return "Conflict";
    case 412:
      return "PreconditionFailed";
    case 413:
      return "RequestEntityTooLarge";
    case 424:
      return "FailedDependency";
    case 431:
      return "RequestHeaderFieldsTooLarge";
    case 503:
      return "ServiceUnavailable";
    case 507:
      return "InsufficientStorage";
    default:
      return "InternalServerError";
  }
}

Response error(int status, std::string_view message) {
  const auto text = [](std::string_view part) { return boost::json::serialize(boost::json::string_view(part)); };
  return {.status = status, .body = "{\"code\":" + text(code_of(status)) + ",\"message\":" + text(message) + "}"};
}

}  // namespace mayfly::serve
