#include "mayfly/serve/service/control.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "mayfly/model/expiry.hpp"
#include "mayfly/serve/message/instant_text.hpp"
#include "mayfly/serve/message/json_text.hpp"
#include "mayfly/serve/service/item_operation.hpp"

namespace mayfly::serve {

namespace json = boost::json;

namespace {

using engine::Sight;

// A move of the clock first runs the background processes with this budget, so that expired items do not pile up. Items
// that expire by the move itself are still held after it, and can be observed.
constexpr Budget move_budget{10'000};

Response shown(const json::object& object) { return {.body = json::serialize(object), .charge = 0}; }

Response clock_response(ServiceClock& clock) {
  const Instant now = clock.now();
  return shown({{"now", now.time_since_epoch().count()}, {"date", date_text(now)}, {"mode", clock.mode()}});
}

/// A whole number in the body, at least 0.
std::int64_t number_in(const Request& request, const char* name) {
  const json::object body = parse_json_object(request.body);
  const json::value* value = body.if_contains(name);
  boost::system::error_code problem;
  const auto number = value && !value->is_double() ? value->to_number<std::int64_t>(problem) : -1;
  if (problem || number < 0)
    throw Refusal(400, fmt::format("The body must have a whole number, at least 0, in \"{}\".", name));
  return number;
}

Budget budget_in(const Request& request) {
  if (trimmed(request.body).empty()) return {std::numeric_limits<std::uint64_t>::max()};
  return {static_cast<std::uint64_t>(number_in(request, "budget"))};
}

Response move_clock(const Call& call, ServiceClock& clock, bool is_relative) {
  if (!clock.is_virtual())
    throw Refusal(409, "The clock is real: it cannot be moved. Start the server with --clock virtual.");
  const std::int64_t number = number_in(call.request, is_relative ? "seconds" : "now");
  const std::int64_t base = is_relative ? call.now.time_since_epoch().count() : 0;
  const bool is_in_range = number <= latest_instant.time_since_epoch().count() - base;
  if (is_in_range && Seconds{base + number} < call.now.time_since_epoch())
    throw Refusal(400, fmt::format("The clock is at {} and never goes back.", call.now.time_since_epoch().count()));
  if (!is_in_range) throw Refusal(400, "The clock cannot pass the end of the year 9999.");
  call.account.purge(call.now, move_budget);
  call.account.index(call.now, move_budget);
  clock.move_to(Instant{Seconds{base + number}});
  call.account.clock_moved(clock.now());
  return clock_response(clock);
}

template <class Setting>
json::value setting_json(const Setting& setting) {
  if (const auto* seconds = std::get_if<Seconds>(&setting)) return seconds->count();
  if (std::holds_alternative<Never>(setting)) return -1;
  return nullptr;
}

Ttl ttl_of(const engine::StoredDocument& stored) {
  return stored.ttl == 0 ? Ttl{Inherit{}} : stored.ttl < 0 ? Ttl{Never{}} : Ttl{Seconds{stored.ttl}};
}

/// The deadline by the model, for display; the engine decides independently.
std::optional<Instant> deadline_of(const Container& container, const engine::StoredDocument& stored) {
  return deadline(stored.ts, ttl_of(stored), default_of(container.settings));
}

/// An item and its place in a listing.
struct ListedItem {
  Instant rank;
  std::uint64_t number;  ///< in the order of the walk, which breaks ties
  const engine::StoredDocument* stored;
  bool is_live;

  bool operator<(const ListedItem& other) const { return std::tie(rank, number) < std::tie(other.rank, other.number); }
};

/// Items that expire next come first, then those without a deadline, and last the expired ones: so a short listing
/// shows the upcoming expiries.
Instant rank_of(const Container& container, const engine::StoredDocument& stored, bool is_live) {
  if (!is_live) return Instant::max();
  return deadline_of(container, stored).value_or(Instant::max() - Seconds{1});
}

/// The number of a container's items, and the first of them in order.
struct Listing {
  std::uint64_t live = 0;
  std::uint64_t expired = 0;
  std::vector<ListedItem> first;
};

// One walk over all items, which keeps only those that are shown.
Listing listing(const Call& call, const Container& container, std::size_t most) {
  Listing list;
  call.account.engine().walk(call.now, container.collection, Sight::held, {}, 0, [&](const auto& stored, bool is_live) {
    ++(is_live ? list.live : list.expired);
    if (most == 0) return true;
    const ListedItem item{rank_of(container, stored, is_live), list.live + list.expired, &stored, is_live};
    if (list.first.size() == most && !(item < list.first.front())) return true;
    if (list.first.size() == most) {
      std::pop_heap(list.first.begin(), list.first.end());
      list.first.pop_back();
    }
    list.first.push_back(item);
    std::push_heap(list.first.begin(), list.first.end());
    return true;
  });
  std::sort_heap(list.first.begin(), list.first.end());
  return list;
}

json::object item_json(const Container& container, const engine::StoredDocument& stored, bool is_live) {
  const Ttl ttl = ttl_of(stored);
  const auto end = deadline_of(container, stored);
  json::object item{{"id", stored.id},          {"partition", stored.partition},
                    {"ttl", setting_json(ttl)}, {"_ts", stored.ts.time_since_epoch().count()},
                    {"deadline", nullptr},      {"expired", !is_live}};
  if (end) item["deadline"] = end->time_since_epoch().count();
  return item;
}

json::array items_json(const Container& container, const Listing& list) {
  json::array items;
  for (const ListedItem& item : list.first) items.push_back(item_json(container, *item.stored, item.is_live));
  return items;
}

std::size_t limit_in(std::string_view query) {
  constexpr std::string_view name = "limit=";
  std::size_t limit = 1000;
  if (query.empty()) return limit;
  const auto* end = query.data() + query.size();
  const bool is_named = query.starts_with(name);
  if (!is_named || std::from_chars(query.data() + name.size(), end, limit).ptr != end)
    throw Refusal(400, "The only supported parameter is ?limit=N.");
  return limit;
}

template <class Describe>
Response containers_response(const Call& call, ServiceClock& clock, std::size_t most, Describe describe) {
  json::array containers;
  for (const auto& [id, database] : call.account.databases())
    for (const auto& [name, container] : database.containers) {
      const Listing list = listing(call, container, most);
      json::object object{{"held", call.account.engine().held(container.collection)},
                          {"live", list.live},
                          {"expired", list.expired},
                          {"purged", container.purged},
                          {"database", id},
                          {"container", name}};
      describe(object, container, list);
      containers.push_back(std::move(object));
    }
  return shown(
      {{"now", call.now.time_since_epoch().count()}, {"mode", clock.mode()}, {"containers", std::move(containers)}});
}

Response items_response(const Call& call, ServiceClock& clock) {
  const std::size_t most = limit_in(call.address.query());
  return containers_response(call, clock, most,
                             [](json::object& object, const Container& container, const Listing& list) {
                               object["defaultTtl"] = setting_json(default_of(container.settings));
                               object["indexingMode"] = container.shown.at("indexingPolicy").at("indexingMode");
                               object["items"] = items_json(container, list);
                             });
}

/// A container and a different default for it.
struct Redefinition {
  Container& container;
  ContainerDefinition definition;
};

std::string_view text_in(const json::object& body, const char* name) {
  const json::value* value = body.if_contains(name);
  if (!value || !value->is_string()) throw Refusal(400, fmt::format("The body must have text in \"{}\".", name));
  return value->get_string();
}

Redefinition redefinition_in(const Call& call) {
  const json::object body = parse_json_object(call.request.body);
  Database& database = call.account.database(text_in(body, "database"));
  Container& container = call.account.container(database, text_in(body, "container"));
  const json::value* given = body.if_contains("defaultTtl");
  if (!given) throw Refusal(400, "The body must have a \"defaultTtl\": null for off, -1 for never, or seconds.");
  json::object wanted = container.shown;
  wanted["defaultTtl"] = *given;
  return {container, ContainerDefinition(wanted, ContainerDefinition::For::replacing)};
}

std::uint64_t would_expire(const Call& call, const Redefinition& wanted) {
  return call.account.engine().would_expire(call.now, wanted.container.collection, wanted.definition.settings);
}

Response preview_default(const Call& call) {
  const Redefinition wanted = redefinition_in(call);
  return shown({{"expires", would_expire(call, wanted)}, {"live", listing(call, wanted.container, 0).live}});
}

Response set_default(const Call& call) {
  Redefinition wanted = redefinition_in(call);
  const std::uint64_t expired = would_expire(call, wanted);
  call.account.replace_container(call.now, wanted.container, std::move(wanted.definition));
  return shown({{"expired", expired}, {"live", listing(call, wanted.container, 0).live}});
}

/// The new time of a reset. Throws Refusal if it is impossible, or if a database exists that the reset must not delete.
Instant new_beginning(const Call& call, const ServiceClock& clock) {
  const json::object body = parse_json_object(call.request.body);
  const json::value* only = body.if_contains("only");
  if (only && !only->is_string()) throw Refusal(400, "\"only\" must be text.");
  for (const auto& [id, database] : call.account.databases())
    if (only && !id.starts_with(std::string_view(only->get_string())))
      throw Refusal(409, fmt::format("There is another database, '{}'.", id));
  if (!body.contains("now")) return call.now;
  const Instant now{Seconds{number_in(call.request, "now")}};
  if (!clock.is_virtual()) throw Refusal(409, "The clock is real: it cannot be moved.");
  if (now > latest_instant) throw Refusal(400, "The clock cannot pass the end of the year 9999.");
  return now;
}

// After everything is deleted, no data depends on a later time, so the clock may go back.
Response reset(const Call& call, ServiceClock& clock) {
  if (trimmed(call.request.body).empty()) {
    call.account.reset(call.now);
    return shown({});
  }
  const Instant now = new_beginning(call, clock);
  call.account.reset(now);
  if (clock.is_virtual()) clock = ServiceClock::virtual_from(now);
  return clock_response(clock);
}

}  // namespace

Response answer_control(const Call& call, ServiceClock& clock) {
  std::string path;
  for (std::size_t i = 1; i < call.address.size(); ++i) path += (i > 1 ? "/" : "") + call.address[i];
  const bool is_get = path == "clock" || path == "stats" || path == "items";
  constexpr std::array<std::string_view, 7> posts{"clock/advance", "clock/set", "default", "default/preview",
                                                  "purge",         "index",     "reset"};
  const bool is_post = std::find(posts.begin(), posts.end(), path) != posts.end();
  if (!is_get && !is_post) throw Refusal(404, "There is nothing at this path.");
  if (call.request.verb != (is_get ? Verb::get : Verb::post)) refuse_verb(call);
  if (path == "clock") return clock_response(clock);
  if (path == "stats")
    return containers_response(call, clock, 0, [](json::object&, const Container&, const Listing&) {});
  if (path == "items") return items_response(call, clock);
  if (path == "clock/advance") return move_clock(call, clock, true);
  if (path == "clock/set") return move_clock(call, clock, false);
  if (path == "default") return set_default(call);
  if (path == "default/preview") return preview_default(call);
  if (path == "purge") return shown({{"purged", call.account.purge(call.now, budget_in(call.request))}});
  if (path == "reset") return reset(call, clock);
  call.account.index(call.now, budget_in(call.request));
  return shown({});
}

}  // namespace mayfly::serve
