#include "mayfly/serve/service/service.hpp"

#include <exception>

#include <fmt/format.h>

#include "mayfly/rest/http_date.hpp"
#include "mayfly/rest/loopback.hpp"
#include "mayfly/serve/service/authorization.hpp"
#include "mayfly/serve/service/call.hpp"
#include "mayfly/serve/service/container_requests.hpp"
#include "mayfly/serve/service/control.hpp"
#include "mayfly/serve/service/database_requests.hpp"
#include "mayfly/serve/service/item_operation.hpp"
#include "mayfly/serve/service/item_requests.hpp"
#include "mayfly/serve/service/item_text.hpp"
#include "mayfly/serve/service/live_page.hpp"
#include "mayfly/serve/service/offer_requests.hpp"
#include "mayfly/serve/service/unsupported.hpp"
#include "mayfly/sim/input_error.hpp"

namespace mayfly::serve {

namespace {

// One piece of background work takes well under a millisecond, so that no request waits long behind it.
constexpr Budget background_budget{500};

constexpr std::string_view control_root = "_mayfly";

rest::Address address_of(const Request& request) {
  try {
    return rest::Address(request.target);
  } catch (const InputError& problem) {
    throw Refusal(400, problem.what());
  }
}

bool is_control(const rest::Address& address) { return address.size() > 0 && address[0] == control_root; }

/// `localhost:8081` without its port. Any other suffix stays.
std::string_view without_port(std::string_view host) {
  const auto colon = host.rfind(':');
  const bool is_port = colon != std::string_view::npos && host.find_first_not_of("0123456789", colon + 1) == host.npos;
  return is_port ? host.substr(0, colon) : host;
}

/// Whether this names a loopback address, without a name that a name server could resolve.
bool is_loopback_host(std::string_view host) {
  std::string_view name = without_port(host);
  const bool is_v6 = name.starts_with('[') && name.ends_with(']');
  if (is_v6) name = name.substr(1, name.size() - 2);
  return (name.find(':') != name.npos) == is_v6 && rest::is_loopback(name);
}

// A page of any site can make a browser on this machine send requests to this server. If requests need no secret,
// nothing else prevents that. The next two functions detect such requests by headers that browsers add and pages cannot
// change: `Origin` and `Sec-Fetch-Site` show that the page is of another site, and `Host` shows a name that was made to
// point at 127.0.0.1 after the page was loaded. Programs other than browsers send none of these.

void refuse_other_names(const Request& request) {
  const std::string_view host = request.field("host").value_or("localhost");
  if (!is_loopback_host(host))
    throw Refusal(
        403, fmt::format("This server answers only under the names of this machine, not as '{}'. To use that name, "
                         "start it with a key of your own.",
                         without_port(host)));
}

/// A server with its own key may stand behind a TLS proxy, so its own origin may be `https`.
void refuse_other_sites(const Request& request, bool is_secret_needed) {
  const auto site = request.field("sec-fetch-site");
  if (site && *site != "same-origin" && *site != "none")
    throw Refusal(403, "Requests from pages of other sites are refused.");
  const auto origin = request.field("origin");
  if (!origin) return;
  const std::string host(request.field("host").value_or("localhost"));
  const std::string own = (request.is_secure ? "https://" : "http://") + host;
  if (*origin != own && !(is_secret_needed && *origin == "https://" + host))
    throw Refusal(403, "Requests from pages of other origins are refused.");
}

Response response_to(const JournalError& problem) {
  return error(problem.kind() == JournalError::Kind::full ? 507 : 503, problem.what());
}

Response route(const Call& call) {
  const rest::Address& address = call.address;
  const std::size_t size = address.size();
  if (size == 0) return answer_account(call);
  refuse_unsupported_fields(call.request);
  if (address[0] == "offers") return answer_offers(call);
  if (size <= 2) return answer_databases(call);
  if (size <= 4) return answer_containers(call);
  return address[4] == "docs" ? answer_items(call) : answer_ranges(call);
}

/// The client's own id, or one made of a number.
std::string activity_id_of(const Request& request, std::uint64_t number) {
  const std::string made = etag_of(number);
  const auto given = request.field("x-ms-activity-id").value_or("");
  return std::string(given.size() == made.size() - 2 ? given : std::string_view(made).substr(1, made.size() - 2));
}

}  // namespace

Service::Service(ServiceOptions options, ServiceClock clock, std::optional<Journal> journal)
    : options_(std::move(options)), clock_(std::move(clock)), key_(options_.key), account_(options_.start) {
  if (journal) account_ = Account(std::move(*journal));
  clock_.start_no_earlier(account_.earliest_now());
  committed_ = clock_.now();
}

Response Service::answer(const Request& request) {
  Response response = answer_or_error(request);
  response.activity_id = activity_id_of(request, ++answers_);
  return response;
}

Response Service::answer_or_error(const Request& request) {
  try {
    return dispatch(request);
  } catch (const Refusal& refusal) {
    return error(refusal);
  } catch (const JournalError& problem) {
    return response_to(problem);
  } catch (const std::exception& problem) {
    return error(500, problem.what());
  }
}

Response Service::dispatch(const Request& request) {
  if (broken_) throw *broken_;
  const rest::Address address = address_of(request);
  const bool is_page = is_control(address) && address.size() == 1 && request.verb == Verb::get;
  if (is_page) return answer_page(request);
  refuse_unsupported_resource(address);
  admit(request, address);
  if (request.body.size() > most_item_bytes)
    throw Refusal(413,
                  fmt::format("The body has {} bytes; at most {} are allowed.", request.body.size(), most_item_bytes));
  const Call call{account_, request, address, clock_.now()};
  return is_control(address) ? answer_control(call, clock_) : route(call);
}

void Service::admit(const Request& request, const rest::Address& address) const {
  const bool needs_no_secret = options_.access != Access::own_key;
  if (needs_no_secret) refuse_other_names(request);
  if (needs_no_secret || is_control(address)) refuse_other_sites(request, !needs_no_secret);
  if (options_.access == Access::open) return;
  if (options_.access == Access::emulator && is_control(address)) return;
  if (!is_signed(request, address, key_))
    throw Refusal(401, "The authorization header is missing, or not signed with this server's key.");
  // The emulators' key is published: whoever can send a request again can also sign it.
  const bool has_own_key = options_.access == Access::own_key;
  if (const Instant wall = options_.wall(); has_own_key && !is_recent(request, wall))
    throw Refusal(403, fmt::format("The date of the request is not within 15 minutes of {}, the time of this server's "
                                   "wall clock.",
                                   rest::http_date(wall)));
}

std::optional<Response> Service::commit() {
  if (broken_) return std::nullopt;
  try {
    const Instant now = clock_.now();
    account_.commit(now);
    committed_ = now;
    return std::nullopt;
  } catch (const JournalError& problem) {
    go_back();
    return response_to(problem);
  }
}

// The committed data was written by this server, so it can be loaded, unless the file was damaged since.
void Service::go_back() {
  try {
    account_.roll_back();
    clock_.take_back_to(committed_);
  } catch (const std::exception& problem) {
    broken_.emplace(JournalError::Kind::unusable, problem.what());
  }
}

bool Service::work_in_background() {
  if (broken_) return false;
  const Instant now = clock_.now();
  account_.index(now, background_budget);
  try {
    return account_.purge(now, background_budget) == background_budget.units;
  } catch (const JournalError&) {
    return false;  // the commit reports the error to the requests of the broken transaction
  }
}

}  // namespace mayfly::serve
