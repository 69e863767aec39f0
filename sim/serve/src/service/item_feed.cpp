#include "mayfly/serve/service/item_feed.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "mayfly/serve/service/change_feed.hpp"
#include "mayfly/serve/service/item_operation.hpp"
#include "mayfly/serve/service/json_text.hpp"
#include "mayfly/serve/service/paging.hpp"

// All items of a container, or those that a query selects, page by page.
//
// A page continues at a slot of the engine. An item keeps its slot as long as it lives, so expiry and purging between
// two pages neither hide nor duplicate an item that stays. Loading assigns slots anew, so an earlier token is refused.
// A query whose rows depend on each other (an order, a count, a limit) is executed again for each page, and continues
// at a row.

namespace mayfly::serve {

namespace json = boost::json;

namespace {

using engine::Sight;
using engine::SlotId;

constexpr double query_charge = 2;

/// The plan of every query: send it as it is to the one range of partition keys.
constexpr std::string_view query_plan =
    R"({"partitionedQueryExecutionInfoVersion":2,"queryInfo":{"distinctType":"None"},)"
    R"("queryRanges":[{"min":"","max":"FF","isMinInclusive":true,"isMaxInclusive":false}]})";

Document shown_document(const engine::StoredDocument& stored) {
  const Ttl ttl = stored.ttl == 0 ? Ttl{Inherit{}} : stored.ttl < 0 ? Ttl{Never{}} : Ttl{Seconds{stored.ttl}};
  return {stored.partition, stored.id, stored.value, stored.ts, ttl};
}

json::object whole_item(const Container& container, const engine::StoredDocument& stored) {
  std::string text;
  append_shown(text, container, shown_document(stored));
  return parse_json_object(text);
}

SlotId slot_in(const PageRequest& wanted) {
  if (wanted.from >= engine::no_slot) throw Refusal(400, "The header x-ms-continuation is not valid.");
  return static_cast<SlotId>(wanted.from);
}

PageRequest page_request(const Call& call, const Container& container) {
  return PageRequest(call.request, call.account.token_start(container));
}

std::string continuation(const PageRequest& wanted, std::optional<SlotId> next) {
  return next ? wanted.token(*next) : std::string();
}

Response query_row_by_row(const Call& call, const Container& container, const std::optional<std::string>& partition,
                          const ItemQuery& query) {
  const PageRequest wanted = page_request(call, container);
  Page page(container.rid_text, "Documents", wanted.most_items);
  double charge = query_charge;
  const auto next = call.account.engine().walk(
      call.now, container.collection, Sight::queried, partition, slot_in(wanted), [&](const auto& stored, bool) {
        for (const json::value& row : query.run({whole_item(container, stored)})) page.next() += json::serialize(row);
        ++charge;
        return page.has_room();
      });
  return page.finish(charge, continuation(wanted, next));
}

}  // namespace

Response read_items(const Call& call, const Container& container) {
  if (call.request.field("a-im")) return answer_changes(call, container);
  const PageRequest wanted = page_request(call, container);
  Page page(container.rid_text, "Documents", wanted.most_items);
  double charge = 1;
  const auto next = call.account.engine().walk(call.now, container.collection, Sight::live,
                                               named_partition(call.request, container.key), slot_in(wanted),
                                               [&](const auto& stored, bool) {
                                                 append_shown(page.next(), container, shown_document(stored));
                                                 ++charge;
                                                 return page.has_room();
                                               });
  return page.finish(charge, continuation(wanted, next));
}

Response query_items(const Call& call, const Container& container) {
  if (call.request.says_true("x-ms-cosmos-is-query-plan-request")) return {.body = std::string(query_plan)};
  if (container.settings.indexing == Indexing::none)  // I6
    throw Refusal(400, "The container's indexing mode is none: it cannot be queried, only read.");
  const auto partition = named_partition(call.request, container.key);
  const ItemQuery query = query_in(call.request);
  if (query.is_row_by_row()) return query_row_by_row(call, container, partition, query);
  std::vector<json::object> items;
  call.account.engine().walk(call.now, container.collection, Sight::queried, partition, 0,
                             [&](const auto& stored, bool) {
                               items.push_back(whole_item(container, stored));
                               return true;
                             });
  const double charge = query_charge + static_cast<double>(items.size());
  return result_page(page_request(call, container), container.rid_text, "Documents", query.run(std::move(items)),
                     charge);
}

}  // namespace mayfly::serve
