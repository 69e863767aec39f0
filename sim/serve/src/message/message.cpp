#include "mayfly/serve/message/message.hpp"

#include <algorithm>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "mayfly/rest/lower_case.hpp"

namespace mayfly::serve {

namespace {

bool is_same_name(std::string_view sent, std::string_view name) {
  return sent.size() == name.size() &&
         std::equal(sent.begin(), sent.end(), name.begin(), [](char a, char b) { return rest::lower_case(a) == b; });
}

// A message may quote text of a client, which may not be valid UTF-8, as JSON requires.
std::string json_text(std::string_view part) {
  std::string text = boost::json::serialize(boost::json::string_view(part));
  boost::system::error_code problem;
  boost::json::parse(text, problem);
  if (problem)
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) > 127; }, '?');
  return text;
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

std::string_view Request::scheme() const {
  const auto forwarded = field("x-forwarded-proto").value_or("");
  const std::string_view first = forwarded.substr(0, forwarded.find_first_of(", "));
  for (const std::string_view scheme : {"http", "https"})
    if (is_same_name(first, scheme)) return scheme;
  return is_secure ? "https" : "http";
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
    case 501:
      return "NotImplemented";
    case 503:
      return "ServiceUnavailable";
    case 507:
      return "InsufficientStorage";
    default:
      return "InternalServerError";
  }
}

Response error(int status, std::string_view message) {
  return {.status = status,
          .body = "{\"code\":" + json_text(code_of(status)) + ",\"message\":" + json_text(message) + "}"};
}

Response error(const Refusal& refusal) {
  Response response = error(refusal.status(), refusal.what());
  response.substatus = refusal.substatus();
  return response;
}

}  // namespace mayfly::serve
