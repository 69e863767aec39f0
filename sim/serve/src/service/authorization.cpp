#include "mayfly/serve/service/authorization.hpp"

#include <algorithm>

#include "mayfly/rest/http_date.hpp"
#include "mayfly/rest/lower_case.hpp"
#include "mayfly/serve/service/resource_id.hpp"

namespace mayfly::serve {

bool is_signed(const Request& request, const rest::Address& address, const rest::Signer& key) {
  const auto header = request.field("authorization");
  if (!header) return false;
  const auto ms_date = request.field("x-ms-date");
  const std::string_view date = ms_date ? "" : request.field("date").value_or("");
  const auto is_signed_for = [&](std::string_view link) {
    return key.is_signed(rest::text_to_sign({.verb = request.is_head ? "head" : name_of(request.verb),
                                             .kind = address.kind(),
                                             .link = link,
                                             .ms_date = ms_date.value_or(""),
                                             .date = date}),
                         *header);
  };
  if (is_signed_for(address.link())) return true;
  // A client that addresses by resource id signs only the last id, in lower case.
  const bool is_by_rid = address.kind() == "offers" || parse_resource_id(address.link_end());
  if (address.size() < 2 || !is_by_rid) return false;
  std::string rid(address.link_end());
  std::transform(rid.begin(), rid.end(), rid.begin(), rest::lower_case);
  return is_signed_for(rid);
}

bool is_recent(const Request& request, Instant now) {
  constexpr Seconds most{15 * 60};
  const auto ms_date = request.field("x-ms-date");
  const auto date = rest::parse_http_date(ms_date ? *ms_date : request.field("date").value_or(""));
  return date && *date >= now - most && *date <= now + most;
}

}  // namespace mayfly::serve
