#include "mayfly/serve/service/offer_requests.hpp"

#include <optional>
#include <string>
#include <vector>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "mayfly/serve/message/json_text.hpp"
#include "mayfly/serve/service/item_text.hpp"
#include "mayfly/serve/service/paging.hpp"

namespace mayfly::serve {

namespace json = boost::json;

namespace {

constexpr const char* autoscale_name = "offerAutopilotSettings";

/// What a throughput may be, in request units a second.
struct Bounds {
  std::int64_t least;
  std::int64_t step;
  std::string_view name;
};
constexpr Bounds manual_bounds{400, 100, "throughput"};
constexpr Bounds autoscale_bounds{1000, 1000, "highest throughput of autoscale"};
constexpr std::int64_t most_throughput = 1'000'000;

std::int64_t checked(const json::value* value, const Bounds& bounds) {
  boost::system::error_code problem;
  const auto number = value ? value->to_number<std::int64_t>(problem) : 0;
  if (problem || number < bounds.least || number > most_throughput || number % bounds.step != 0)
    throw Refusal(400, fmt::format("The {} {} is invalid: it must be {} to {}, in steps of {}.", bounds.name,
                                   value ? json::serialize(*value) : "that is missing", bounds.least, most_throughput,
                                   bounds.step));
  return number;
}

json::object manual(const json::value* units) { return {{"offerThroughput", checked(units, manual_bounds)}}; }

/// A tenth of the highest throughput is provisioned when nothing uses it.
json::object autoscale(const json::object& settings) {
  const auto most = checked(settings.if_contains("maxThroughput"), autoscale_bounds);
  return {{"offerThroughput", most / 10}, {autoscale_name, settings}};
}

const json::object* autoscale_in(const json::object& content) {
  const json::value* settings = content.if_contains(autoscale_name);
  return settings ? settings->if_object() : nullptr;
}

/// The content of an offer in a client's body.
json::object content_in(const json::object& body) {
  const json::value* content = body.if_contains("content");
  if (!content || !content->is_object()) throw Refusal(400, "An offer must be an object with \"content\".");
  const json::object& given = content->get_object();
  if (const json::object* settings = autoscale_in(given)) return autoscale(*settings);
  return manual(given.if_contains("offerThroughput"));
}

/// An offer and what it is for.
struct Offered {
  const Offer& offer;
  std::uint32_t number;
  std::string rid;
  std::string link;
};

json::object to_json(const Offered& offered) {
  const std::string own_rid = offer_rid(offered.number);
  return {{"offerVersion", "V2"},
          {"offerType", "Invalid"},
          {"resource", offered.link},
          {"offerResourceId", offered.rid},
          {"content", offered.offer.content},
          {"id", own_rid},
          {"_rid", own_rid},
          {"_self", "offers/" + own_rid + "/"},
          {"_etag", etag_of(offered.offer.written.version)},
          {"_ts", offered.offer.written.ts.time_since_epoch().count()}};
}

std::vector<Offered> all_offers(const Account& account) {
  std::vector<Offered> all;
  for (const auto& [id, database] : account.databases()) {
    if (database.offer)
      all.push_back({*database.offer, database.rid.database, database.rid_text, "dbs/" + database.rid_text + "/"});
    for (const auto& [name, container] : database.containers)
      if (container.offer)
        all.push_back({*container.offer, container.rid.container, container.rid_text, container.link});
  }
  return all;
}

Response list_offers(const Call& call) {
  std::vector<Listed> all;
  for (const Offered& each : all_offers(call.account)) all.push_back({each.number, to_json(each)});
  return list_page(call, "", "Offers", std::move(all));
}

Response shown_offer(const Offered& offered) {
  const bool is_autoscale = autoscale_in(offered.offer.content) != nullptr;
  return {.body = json::serialize(to_json(offered)),
          .etag = etag_of(offered.offer.written.version),
          .least_throughput = std::to_string((is_autoscale ? autoscale_bounds : manual_bounds).least)};
}

Response replace_offer(const Call& call, const Offered& offered) {
  json::object content = content_in(parse_json_object(call.request.body));
  if (!autoscale_in(content) != !autoscale_in(offered.offer.content))
    throw Refusal(400, "A change between manual throughput and autoscale is not supported.");
  check_if_match(call.request, offered.offer.written.version);
  call.account.replace_offer(call.now, offered.number, std::move(content));
  return shown_offer(offered);
}

}  // namespace

std::optional<json::object> named_throughput(const Request& request) {
  const auto units = request.field("x-ms-offer-throughput");
  const auto settings = request.field("x-ms-cosmos-offer-autopilot-settings");
  if (units && settings) throw Refusal(400, "A throughput is either manual or autoscale, and not both.");
  if (settings) return autoscale(parse_json_object(*settings));
  if (!units) return std::nullopt;
  const json::value number = parse_json(*units);
  return manual(&number);
}

json::object default_throughput() { return {{"offerThroughput", manual_bounds.least}}; }

Response answer_offers(const Call& call) {
  const Request& request = call.request;
  if (call.address.is_feed()) {
    if (request.verb != Verb::get && !is_query(request)) refuse_verb(call);
    return list_offers(call);
  }
  for (const Offered& each : all_offers(call.account)) {
    if (offer_rid(each.number) != call.address[1]) continue;
    if (request.verb == Verb::get) return unless_known(request, shown_offer(each));
    if (request.verb != Verb::put) refuse_verb(call);
    return replace_offer(call, each);
  }
  throw Refusal(404, fmt::format("There is no offer '{}'.", call.address[1]));
}

}  // namespace mayfly::serve
