#include "mayfly/serve/service/live_page.hpp"

#include "mayfly/sim/viewer.hpp"

namespace mayfly::serve {

namespace {

// The page is self-contained: it loads nothing, sends requests only to this server, and cannot be framed by a page that
// catches clicks.
constexpr std::string_view policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Whether the path ends like that of a folder, so that relative URLs in the page lead below it.
bool is_folder(std::string_view target) { return target.substr(0, target.find('?')).ends_with('/'); }

}  // namespace

Response answer_page(const Request& request) {
  constexpr std::string_view html = "text/html; charset=utf-8";
  if (!is_folder(request.target)) return {.status = 308, .charge = 0, .content_type = html, .location = "/_mayfly/"};
  return {.body = viewer_page("live.html", "null"), .charge = 0, .content_type = html, .security_policy = policy};
}

}  // namespace mayfly::serve
